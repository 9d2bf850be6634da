"""`sweep`: hands settings out to workers and gathers their rows."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from gdpnum import _validate
from gdpnum._version import __version__
from gdpnum.sweeps.executors import hand_out, refuse_other, width
from gdpnum.sweeps.journal import Journal, fingerprint
from gdpnum.sweeps.progress import drawn
from gdpnum.sweeps.row import COLUMNS, Wanted, rows, rows_together
from gdpnum.sweeps.setting import Setting, identity, named
from gdpnum.sweeps.table import SweepTable

Rows = list[tuple[int, dict[str, Any]]]
Numbered = list[tuple[int, Setting]]

# Settings of one go of the contour: few enough to tell progress and to be interrupted.
_TOGETHER = 1024

# So often a pool whose worker died is replaced before what it worked on is given up.
_REPLACEMENTS = 3


def sweep(
    settings: Iterable[Setting],
    *,
    columns: Iterable[str] = COLUMNS,
    slack: float = 1e-10,
    tolerance: float = 1e-3,
    executor: Any = None,
    workers: int | None = None,
    resume: str | Path | None = None,
    progress: Callable[[int, int], None] | bool | None = None,
) -> SweepTable:
    """The columns wanted of each setting, one record a setting.

    A setting is a dictionary of what `DPSGD` takes, such as ``noise_multiplier``, ``sample_rate``
    and ``steps``, or ``batch_size``, ``dataset_size`` and ``epochs`` (see `grid`), to which labels
    of any other name may be added; or any mechanism. A DataFrame has one a row. One that fails
    becomes a record with its ``error``; the others go on.

    Work is spread over the cores of this machine, or over ``workers`` of them; 1 stays in this
    process. An ``executor`` serves in their place: any `concurrent.futures.Executor`, a
    ``dask.distributed.Client``, the module ``ray`` once it is initialised, a ``joblib.Parallel``.
    The records do not depend on where they were computed.

    ``resume`` names a JSON lines file that keeps each row as soon as it is there. A sweep that was
    interrupted goes on from it; what is in it is not computed again. ``progress`` is called with
    the number of settings done and of all; True draws a line of it on stderr.

    >>> from gdpnum import grid, sweep
    >>> table = sweep(
    ...     grid(noise_multiplier=[1.0, 2.0], sample_rate=[0.01], steps=[100]),
    ...     columns=["mu", "epsilon@1e-05"],
    ...     workers=1,
    ... )
    >>> [f"{record['mu']:.3f}" for record in table]
    ['0.341', '0.062']
    """
    chosen = _listed(settings)
    wanted = Wanted(
        tuple(_validate.items("columns", columns, advice="pass a list of names")), slack, tolerance
    )
    leading = [named(number, setting) for number, setting in enumerate(chosen)]
    if workers is not None:
        workers = _validate.count("workers", workers, minimum=1, advice="pass how many processes")
    if executor is not None:
        refuse_other(executor)
    if progress is not True and progress is not False:
        _validate.function_or_none("progress", progress)
    found: dict[int, dict[str, Any]] = {}
    keep: Callable[[Rows], None] = found.update

    def gather(show: Callable[[int, int], None]) -> None:
        every = list(enumerate(chosen))
        show(len(found), len(chosen))

        def keep_and_tell(some: Rows) -> None:
            keep(some)
            show(len(found), len(chosen))

        # What one go of the contour does in a moment is not worth handing out. The last digits
        # depend on which go together: a resumed sweep takes the same ones, to end as if whole.
        for start in range(0, len(every), _TOGETHER):
            some = every[start : start + _TOGETHER]
            if any(number not in found for number, _ in some):
                together = rows_together(some, wanted)
                keep_and_tell([row for row in together if row[0] not in found])
        left = [(number, one) for number, one in every if number not in found]
        _compute(left, wanted, executor, workers, keep_and_tell)

    with drawn(sys.stderr) if progress is True else nullcontext(progress or _tell_nobody) as show:
        if resume is None:
            gather(show)
        else:
            told_apart = [identity(setting) for setting in chosen]
            mark = fingerprint(told_apart, wanted, __version__)
            with Journal(resume, mark, count=len(chosen), columns=wanted.columns) as journal:
                found, keep = journal.rows, journal.add
                gather(show)
    records = ({**leading[number], **_floats(found[number])} for number in range(len(chosen)))
    return SweepTable(tuple(records))


def _tell_nobody(done: int, total: int) -> None:
    """What stands in for a progress that nobody wants to see."""


def _listed(settings: Any) -> list[Setting]:
    """The settings one by one; a DataFrame has them as rows."""
    if hasattr(settings, "to_dict") and hasattr(settings, "columns"):
        settings = settings.to_dict("records")
    return _validate.items("settings", settings, advice="pass a list of settings")


def _floats(row: dict[str, Any]) -> dict[str, Any]:
    """The row with infinities as floats again."""
    return {
        name: float(value) if value in ("inf", "-inf") else value for name, value in row.items()
    }


def _compute(
    left: Numbered,
    wanted: Wanted,
    executor: Any,
    workers: int | None,
    keep: Callable[[Rows], None],
) -> None:
    """Compute rows and keep them as they are finished, in whatever order that is."""
    if executor is not None:
        _hand_out(executor, left, wanted, keep)
    elif workers == 1 or len(left) < 2:
        for one in left:
            keep(rows([one], wanted))
    else:
        _by_processes(left, wanted, workers or os.cpu_count() or 1, keep)


def _by_processes(
    left: Numbered, wanted: Wanted, workers: int, keep: Callable[[Rows], None]
) -> None:
    """Compute with a pool of our own, replaced where a worker of it is killed."""
    done: set[int] = set()

    def keep_and_note(some: Rows) -> None:
        keep(some)
        done.update(number for number, _ in some)

    for _ in range(_REPLACEMENTS + 1):
        try:
            with _pool(workers) as pool:
                _hand_out(pool, left, wanted, keep_and_note)
            return
        except BrokenProcessPool:  # noqa: PERF203
            left = [(number, one) for number, one in left if number not in done]
    nothing = dict.fromkeys(wanted.columns)
    reason = "BrokenProcessPool: a worker died; it may have run out of memory"
    keep([(number, {**nothing, "error": reason}) for number, _ in left])


@contextmanager
def _pool(workers: int) -> Iterator[Executor]:
    # Forked where that exists: the other ways run the caller's script once more in each worker.
    method = "fork" if "fork" in multiprocessing.get_all_start_methods() else None
    context = multiprocessing.get_context(method)
    # Ctrl-C goes to every process of the group; it is for us to stop the workers.
    pool = ProcessPoolExecutor(workers, context, initializer=_leave_interrupts_to_us)
    try:
        with warnings.catch_warnings():
            # Python warns that other threads are not forked; ours use none.
            warnings.simplefilter("ignore", DeprecationWarning)
            pool.submit(int).result()
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _leave_interrupts_to_us() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _hand_out(executor: Any, left: Numbered, wanted: Wanted, keep: Callable[[Rows], None]) -> None:
    """Compute with an executor, a few settings a task."""
    size = max(1, min(8, len(left) // (4 * width(executor))))
    tasks = ((left[start : start + size], wanted) for start in range(0, len(left), size))
    hand_out(executor, rows, tasks, keep)
