"""A running benchmark: the packages' processes, and questions put to them in turns."""

import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from cases import ASKED, DELTA, FPR, Case
from environments import python_of
from packages import OURS, PACKAGES
from peer import Peer, single
from report import duration

T = TypeVar("T")
Answer = dict[str, Any]

# Of how many cases a quick run looks at one.
_EVERY = 10


class Question(NamedTuple):
    """A task for a package."""

    package: str
    task: str
    request: dict[str, Any]


class Bench:
    """Packages, repeats, and whether this is a quick run over few cases."""

    def __init__(self, *, repeats: int = 5, quick: bool = False) -> None:
        self.repeats = 1 if quick else repeats
        self.quick = quick
        self._peers: dict[str, Peer] = {}

    def few(self, cases: Sequence[T], every: int = _EVERY) -> Sequence[T]:
        """All cases, or few of them in a quick run."""
        return cases[::every] if self.quick else cases

    def turns(
        self,
        questions: Mapping[str, Question],
        *,
        repeats: int | None = None,
        limit: float = 60.0,
        budget: float = 3.0,
        before: Mapping[str, Answer] | None = None,
    ) -> dict[str, Answer]:
        """Label -> the answer, with the list of its seconds.

        The packages take turns, so that a busy machine slows all of them alike. What has used up
        its ``budget`` of seconds, or has failed, is not asked again. ``before`` holds the answers
        of earlier turns, which these go on from.
        """
        none = {label: {"seconds": []} for label in questions}
        found: dict[str, Answer] = {**none, **(before or {})}
        for _ in range(self.repeats if repeats is None else repeats):
            for label, (package, task, request) in questions.items():
                earlier = found[label]
                if "error" in earlier or sum(earlier["seconds"]) > budget:
                    continue
                answer = self._peer(package).ask(task, request, limit=limit)
                now = [answer["seconds"]] if "seconds" in answer else []
                found[label] = {**answer, "seconds": earlier["seconds"] + now}
        return found

    def row(
        self, case: Case, quantity: str, packages: Iterable[str], **options: Any
    ) -> dict[str, Any]:
        """One quantity of a case from each package, beside its true bracket."""
        request = {"segments": case.segments, **ASKED[quantity]}
        questions = {name: Question(name, quantity, request) for name in packages}
        answers = self.turns(questions, **options)
        say(quantity, case.name, answers)
        return {
            "name": case.name,
            "quantity": quantity,
            "true": case.true[quantity],
            "answers": answers,
        }

    def bracketed(self, case: Case, *, tolerance: float = 1e-5) -> Case:
        """The case with brackets of mu, epsilon and TPR by this library, not timed.

        From below they are attacks that exist, so that what is below them is wrong.
        """
        request = {"segments": case.segments, "delta": DELTA, "fpr": FPR, "accuracy": tolerance}
        found = self.judgement("bracket", request)
        return replace(case, true={name: tuple(found[name]) for name in ASKED})

    def judgement(self, task: str, request: dict[str, Any]) -> Answer:
        """What this library says of a case or of an answer; not timed."""
        found = self._peer(OURS).ask(task, request, limit=600.0)
        if "error" in found:
            raise RuntimeError(f"{task} of {request}: {found['error']}")
        return found

    def single(self, question: Question, *, limit: float = 60.0) -> Answer:
        """The answer of a fresh process, with its peak memory."""
        package, task, request = question
        return single(python_of(package), PACKAGES[package].worker, task, request, limit=limit)

    def statement(self, package: str, code: str) -> float:
        """Seconds of a whole process that runs a line of Python in a package's environment."""
        start = time.perf_counter()
        subprocess.run([python_of(package), "-W", "ignore", "-c", code], check=True)
        return time.perf_counter() - start

    def versions(self) -> dict[str, dict[str, str]]:
        """Package -> the versions in its environment, of those that were asked."""
        return {name: peer.versions for name, peer in self._peers.items() if peer.versions}

    def close(self) -> None:
        """End all processes."""
        for peer in self._peers.values():
            peer.stop()

    def _peer(self, name: str) -> Peer:
        if name not in self._peers:
            self._peers[name] = Peer(python_of(name), PACKAGES[name].worker)
        return self._peers[name]


def say(task: str, name: str, answers: Mapping[str, Answer]) -> None:
    """A line of progress."""
    times = ", ".join(f"{label} {duration(one)}" for label, one in answers.items())
    print(f"{task:<12}{name}: {times}", flush=True)
