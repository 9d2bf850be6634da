// Asks the program that serves this page.

// Nobody answers: the program has ended.
export class NoAnswer extends Error {}

export async function asked(where, options = {}) {
  const answer = await fetch(where, options).catch((error) => {
    throw error.name === "AbortError" ? error : new NoAnswer(where);
  });
  if (answer.status === 204) return null;
  if (!answer.ok) return { message: `The program failed at this (${answer.status}); change what is set.` };
  return answer.json();
}
