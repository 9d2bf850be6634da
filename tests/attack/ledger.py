"""What was tried, what was refused, and what was found."""

from __future__ import annotations

import json
import signal
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from gdpnum import GdpnumError

#: A case that takes longer is taken to hang.
LONGEST = 60


class Hangs(Exception):
    """A case did not end."""


@contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Ends what runs longer, in process time: a busy machine is no hang."""

    def stop(*_: object) -> None:
        raise Hangs(f"no answer in {seconds} s of process time")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


@dataclass
class Ledger:
    """Counts by family, and findings: a case and what is wrong there."""

    seed: int
    tried: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    findings: list[dict[str, str]] = field(default_factory=list)
    started: float = field(default_factory=time.process_time)

    def attempt(
        self,
        family: str,
        case: object,
        check: Callable[[], Iterable[str]],
        longest: float = LONGEST,
    ) -> None:
        """Runs a check, which names what is wrong; the library's own errors are refusals."""
        self.tried[family] += 1
        try:
            with limit(longest):
                for what in check():
                    self.find(family, case, what)
        except GdpnumError as error:
            self.refused[f"{family}: {type(error).__name__}"] += 1
        except (Exception, SystemExit) as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(frame.filename).name}:{frame.lineno}"
            self.find(family, case, f"{type(error).__name__} at {where}: {error}"[:300])

    def find(self, family: str, case: object, what: str) -> None:
        """Writes a finding down, and says so at once."""
        shown = str(case)[:400]
        self.findings.append({"family": family, "case": shown, "what": what})
        print(f"FOUND [{family}] {shown}: {what}", flush=True)

    def add(self, other: Ledger) -> None:
        """Takes over what another has, which has said so already."""
        self.tried += other.tried
        self.refused += other.refused
        self.findings += other.findings

    def save(self, path: Path) -> None:
        """The ledger as JSON."""
        path.parent.mkdir(parents=True, exist_ok=True)
        content = {
            "seed": self.seed,
            "process_seconds": round(time.process_time() - self.started, 1),
            "tried": dict(sorted(self.tried.items())),
            "refused": dict(sorted(self.refused.items())),
            "findings": self.findings,
        }
        path.write_text(json.dumps(content, indent=1))
