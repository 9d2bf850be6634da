"""Cases run one after the other in a child process, which may hang, swell or die.

Some of what hangs does not listen: a call into C, a wait for a pipe. So the child only tells where
it is, and the parent ends it where a case takes too long or too much, writes that down, and goes on
with the next one in a new child.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from tests.attack.ledger import Ledger

#: What a case may take: seconds of process time, seconds at all, and memory.
MOST_SECONDS, MOST_WAITING, MOST_BYTES = 20.0, 120.0, 2 * 2**30

_TICKS = os.sysconf("SC_CLK_TCK")


class Case(NamedTuple):
    """Something to try, and what it is called in the ledger."""

    name: str
    check: Callable[[], Iterable[str]]


def keep(ledger: Ledger, family: str, cases: Sequence[Case], until: float) -> None:
    """Tries every case, in as many children as it takes."""
    done = 0
    while done < len(cases) and time.monotonic() < until:
        done = _watched(ledger, family, cases, done, until)


def _watched(ledger: Ledger, family: str, cases: Sequence[Case], first: int, until: float) -> int:
    """The number of the first case that has not been tried when the child ends or is ended."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_tried, args=(sender, ledger.seed, family, cases[first:]))
    child.start()
    sender.close()
    number, began, used = first, time.monotonic(), 0.0
    wrong = ""
    while number < len(cases) and time.monotonic() < until and not wrong:
        try:
            if receiver.poll(0.2):
                one, peak = receiver.recv()
                ledger.add(one)
                if peak > MOST_BYTES:
                    ledger.find(family, cases[number].name, f"MEMORY: {peak / 2**30:.1f} GB")
                number, began, used = number + 1, time.monotonic(), _seconds(child.pid)
        except EOFError:
            child.join(10.0)
            wrong = f"DIES: exit code {child.exitcode}"
        if _seconds(child.pid) - used > MOST_SECONDS + 5.0:  # the child's own limit comes first
            wrong = f"HANGS: no answer in {MOST_SECONDS:g} s of process time"
        if time.monotonic() - began > MOST_WAITING:
            wrong = f"HANGS: waits for {MOST_WAITING:g} s"
        if _bytes(child.pid) > 1.5 * MOST_BYTES:
            wrong = f"MEMORY: more than {_bytes(child.pid) / 2**30:.1f} GB"
    with suppress(ProcessLookupError):  # with what it has started
        os.killpg(child.pid or 0, signal.SIGKILL)
    child.join()
    if wrong:
        ledger.tried[family] += 1
        ledger.find(family, cases[number].name, wrong)
        number += 1
    return number


def _tried(sender: Connection, seed: int, family: str, cases: Sequence[Case]) -> None:
    os.setsid()
    # What no machine has is refused at once, rather than after it has filled the memory there is.
    resource.setrlimit(resource.RLIMIT_AS, (8 * 2**30, resource.RLIM_INFINITY))
    try:
        for case in cases:
            Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
            one = Ledger(seed)
            one.attempt(family, case.name, case.check, longest=MOST_SECONDS)
            sender.send((one, _bytes(os.getpid(), "VmHWM")))
    except BaseException:
        traceback.print_exc()
        raise


def _seconds(pid: int | None) -> float:
    """Process time of a process, with that of children it has waited for."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / _TICKS


def _bytes(pid: int | None, what: str = "VmRSS") -> int:
    """Memory that a process has, or has had at most."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith(what):
                return 1024 * int(line.split()[1])
    return 0
