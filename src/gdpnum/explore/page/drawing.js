// Puts what the server describes on the page: changes what is there, so that nothing flickers. Texts
// are set as texts, whatever they contain; nothing is ever read as markup.

export const HTML = "http://www.w3.org/1999/xhtml";
const SVG = "http://www.w3.org/2000/svg";

export const $ = (id) => document.getElementById(id);
export const all = (selector) => [...document.querySelectorAll(selector)];

const space = (tag, outer) => (tag === "svg" ? SVG : outer);

function built(tree, outer) {
  if (typeof tree === "string") return document.createTextNode(tree);
  const element = document.createElementNS(space(tree[0], outer), tree[0]);
  patched(element, tree, outer);
  return element;
}

function patched(element, [tag, attributes, ...children], outer) {
  for (const name of element.getAttributeNames()) {
    if (!(name in attributes)) element.removeAttribute(name);
  }
  for (const [name, value] of Object.entries(attributes)) {
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }
  fill(element, children, space(tag, outer));
}

export function fill(parent, children, outer) {
  children.forEach((tree, at) => {
    const old = parent.childNodes[at];
    if (!old) parent.append(built(tree, outer));
    else if (typeof tree === "string" && old.nodeType === Node.TEXT_NODE) {
      if (old.data !== tree) old.data = tree;
    } else if (typeof tree !== "string" && old.localName === tree[0]) patched(old, tree, outer);
    else old.replaceWith(built(tree, outer));
  });
  while (parent.childNodes.length > children.length) parent.lastChild.remove();
}

export function draw(name, tree) {
  for (const place of all(`[data-draws="${name}"]`)) {
    fill(place, [tree], place.namespaceURI);
  }
}

function write(name, text) {
  for (const place of all(`[data-shows="${name}"]`)) {
    if (place.textContent !== text) place.textContent = text;
  }
}

export function show(answer, prefix = "") {
  for (const [name, text] of Object.entries(answer.texts ?? {})) write(prefix + name, text);
  for (const [name, value] of Object.entries(answer.values ?? {})) {
    for (const place of all(`data[data-shows="${prefix}${name}"]`)) place.value = value;
  }
  for (const [name, tree] of Object.entries(answer.drawings ?? {})) draw(name, tree);
}
