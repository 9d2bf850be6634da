"""Whoever computes a sweep: an executor of Python, Dask's Client, Ray or joblib, as they are."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from itertools import islice
from typing import Any, TypeVar

from gdpnum import _validate
from gdpnum.errors import InvalidArgument, InvalidType

T = TypeVar("T")

# Tasks kept waiting for each worker: enough that none idles, few enough to stop soon.
_QUEUED = 3

# What an executor that does not tell is taken to have.
_USUAL_WIDTH = 16

# A worker of a Dask cluster that dies takes its tasks with it; they are tried again elsewhere.
_RETRIES = 3


def refuse_other(executor: Any) -> None:
    """Raise unless an executor can be handed work."""
    if _is_ray(executor):
        if not executor.is_initialized():
            raise InvalidArgument("executor=ray has no cluster yet; call ray.init() first")
    elif not (hasattr(executor, "submit") or _is_joblib(executor)):
        raise InvalidType(
            f"executor={_validate.brief(executor)} has no submit; pass a "
            "concurrent.futures.Executor, a dask.distributed.Client, the module ray or a "
            "joblib.Parallel"
        )


def width(executor: Any) -> int:
    """About how many workers an executor has."""
    known: Any
    if _is_ray(executor):
        known = int(executor.cluster_resources().get("CPU", 0.0))
    elif _is_joblib(executor):
        known = executor.n_jobs or 1
        known = known if known > 0 else (os.cpu_count() or 1)
    elif _is_dask(executor):
        known = sum(executor.nthreads().values())
    else:
        known = getattr(executor, "_max_workers", None)
    return known if isinstance(known, int) and known > 0 else _USUAL_WIDTH


def hand_out(
    executor: Any,
    function: Callable[..., T],
    tasks: Iterable[tuple[Any, ...]],
    keep: Callable[[T], None],
) -> None:
    """Keep the function of each task, in the order in which they are finished.

    Never more tasks are with the executor than its workers need. Interrupted, this starts nothing
    more, but keeps what has been started: nothing is done twice.
    """
    most = _QUEUED * width(executor)
    left = iter(tasks)
    if _is_joblib(executor):
        # It returns when all that it was given is done; a call is what joblib.delayed makes of it.
        while some := list(islice(left, most)):
            for found in executor([(function, task, {}) for task in some]):
                keep(found)
        return
    submit = _submitter(executor, function)
    waiting: set[Future[T]] = set()

    def refill() -> None:
        while len(waiting) < most and (task := next(left, None)) is not None:
            waiting.add(submit(*task))

    try:
        refill()
        while waiting:
            done, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for one in done:
                keep(one.result())
                waiting.discard(one)
            refill()
    except KeyboardInterrupt:
        for one in [one for one in waiting if not one.cancel()]:
            keep(one.result())
        raise


def _submitter(executor: Any, function: Callable[..., T]) -> Callable[..., Future[T]]:
    """What starts the function of a task and returns its future."""
    if _is_ray(executor):
        remote = executor.remote(function)
        return lambda *task: remote.remote(*task).future()
    chosen: Executor = executor
    if _is_dask(executor):
        chosen = executor.get_executor(retries=_RETRIES)
    return lambda *task: chosen.submit(function, *task)


def _is_dask(executor: Any) -> bool:
    return hasattr(executor, "get_executor") and hasattr(executor, "nthreads")


def _is_ray(executor: Any) -> bool:
    """Whether it is the module, by which Ray is asked for everything."""
    return getattr(executor, "__name__", None) == "ray" and hasattr(executor, "remote")


def _is_joblib(executor: Any) -> bool:
    return callable(executor) and hasattr(executor, "n_jobs") and not hasattr(executor, "submit")
