"""Opacus 1.5 and 1.6: our accountant in its engine, and its histories in our words.

::

    gdpnum.integrations.opacus.register()
    engine = PrivacyEngine(accountant="gdpnum")
    ...                                      # make_private, training, checkpoints as ever
    engine.accountant.get_mu_and_regret()

Next to another accountant, nothing needs to be registered: ``from_opacus(engine)`` describes what
any engine has run so far, as often as it is asked.

Opacus accounts for Poisson sampling whatever the sampler does. `from_opacus` warns where it can see
that the two differ, which takes the data loader and the optimizer that ``make_private`` returned.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from typing import IO, Any, cast

from gdpnum._optional import imported
from gdpnum.dpsgd import AccountingMismatch, CTDAccountant
from gdpnum.errors import InvalidArgument, InvalidType
from gdpnum.history import Segment, run_of, segments
from gdpnum.integrations.opacus_checkpoint import KEY, checkpoint_state
from gdpnum.mechanisms import Mechanism

__all__ = ["AccountingMismatch", "from_opacus", "register"]

_NAME = "gdpnum"


def register() -> type[CTDAccountant]:
    """Make ``PrivacyEngine(accountant="gdpnum")`` work, and return the class of that accountant.

    The class, also to be had as ``GdpnumAccountant`` from this module, is a `CTDAccountant` and an
    ``opacus.accountants.IAccountant``. Registering again changes nothing. Opacus 1.5 has no
    registry; there its ``create_accountant`` is replaced, in all its modules, by one that knows
    ours too.
    """
    accountants = imported("opacus.accountants", extra="opacus")
    ours = _accountant_class()
    if hasattr(accountants, "register_accountant"):
        accountants.register_accountant(_NAME, ours, force=True)
    else:
        _teach(accountants.create_accountant, ours)
    return ours


def from_opacus(
    source: object, *, data_loader: object = None, optimizer: object = None
) -> Mechanism:
    """What was run under Opacus, as a mechanism with equal segments merged.

    An engine does not keep how its batches are drawn: without ``data_loader``, the one that
    ``make_private`` returned, a run with ``poisson_sampling=False`` is described, wrongly and
    without a warning, as one of Poisson batches.

    ``source`` is a PrivacyEngine, an accountant (RDP, PRV, GDP, ours), a history, or a checkpoint:
    its path, an open file, or the dict in it. A file is read without running anything in it.

    Warns `AccountingMismatch` if no step is recorded; if ``data_loader`` does not sample by
    Poisson, samples at a higher rate than was recorded, or under data parallelism gives each worker
    the whole dataset; if ``optimizer`` clips adaptively in Opacus before 1.6, which records more
    noise than the run had. Without those two arguments this cannot be seen: a history looks the
    same either way. The rate is Opacus's own, 1 / len(data_loader), a little below batch size /
    dataset size where the last batch is short; its own Poisson loaders never sample faster.

    >>> from_opacus([(1.0, 0.01, 300), (1.0, 0.01, 200)])
    PoissonSampled(Gaussian(sigma=1.0), rate=0.01) * 500
    """
    steps = segments(_history(source))
    if not any(count for _, _, count in steps):
        _warn("no step is recorded, so the mechanism releases nothing; read it after training")
    if data_loader is not None:
        _check_sampler(data_loader, steps)
    if optimizer is not None:
        _check_noise(optimizer)
    return run_of(steps)


# --- reading ------------------------------------------------------------------------------------


def _history(source: object) -> object:
    if isinstance(source, (list, tuple)):
        return source
    if isinstance(source, (str, os.PathLike)) or hasattr(source, "read"):
        return _history(checkpoint_state(cast("str | os.PathLike[str] | IO[bytes]", source)))
    if isinstance(source, Mapping):
        state = source.get(KEY, source)
        if not isinstance(state, Mapping) or "history" not in state:
            raise InvalidArgument(
                f"the given dict has neither {KEY!r} nor 'history'; pass a checkpoint of Opacus, "
                "or the state_dict() of an accountant"
            )
        return state["history"]
    holder = getattr(source, "accountant", source)
    if hasattr(holder, "history"):
        return holder.history
    raise InvalidType(
        f"source is of type {type(source).__name__}; pass a PrivacyEngine, an accountant, a "
        "history or a checkpoint (for an engine with .noise_multiplier, .sample_rate and .steps "
        "use from_engine)"
    )


# --- what the accounting does not see -----------------------------------------------------------


def _check_sampler(loader: Any, steps: tuple[Segment, ...]) -> None:
    uniform = imported("opacus.utils.uniform_sampler", extra="opacus")
    distributed = imported("torch.distributed", extra="opacus")
    sampler = getattr(loader, "batch_sampler", None)
    if sampler is None:
        raise InvalidType(
            f"data_loader is of type {type(loader).__name__} and has no batch_sampler; "
            "pass the loader that make_private returned"
        )
    split = isinstance(sampler, uniform.DistributedUniformWithReplacementSampler)
    if split or isinstance(sampler, uniform.UniformWithReplacementSampler):
        slowest = min((rate for _, rate, count in steps if count), default=1.0)
        if slowest < sampler.sample_rate * (1.0 - 1e-9):
            _warn(
                f"the history has sample_rate={slowest!r}, but the sampler draws each record with "
                f"probability {sampler.sample_rate!r}: Opacus records 1 / len(data_loader); "
                "privacy is overstated"
            )
    else:
        _warn(
            f"the data loader takes its batches from {type(sampler).__name__}, not by Poisson "
            "sampling (poisson_sampling=False), but they are accounted for as if it did; "
            "the numbers do not hold for this run"
        )
    workers = (
        distributed.get_world_size()
        if distributed.is_available() and distributed.is_initialized()
        else 1
    )
    shares = split or hasattr(getattr(sampler, "sampler", None), "num_replicas")
    if workers > 1 and not shares:
        _warn(
            f"each of {workers} workers draws from the whole dataset, so a record joins a step "
            f"{workers} times as often as the recorded sample_rate says; privacy is overstated"
        )


def _check_noise(optimizer: Any) -> None:
    # Adaptive clipping also releases how many gradients were clipped. Before 1.6 the recorded noise
    # is that of the gradients alone.
    count_sigma = getattr(optimizer, "unclipped_num_std", None)
    if count_sigma is None or _version() >= (1, 6):
        return
    recorded = float(optimizer.noise_multiplier)
    if recorded > 0.0:
        both = (recorded**-2 + (2.0 * float(count_sigma)) ** -2) ** -0.5
        _warn(
            f"adaptive clipping in Opacus before 1.6 records noise_multiplier={recorded:.6g}, that "
            f"of the gradients alone; with the count of clipped gradients it is {both:.6g}; "
            "privacy is overstated"
        )


def _version() -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", metadata.version("opacus"))[:2]))


def _warn(message: str) -> None:
    # Point at the line that called from_opacus: the first frame outside this file.
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename == __file__:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, AccountingMismatch, stacklevel=level)


# --- our accountant in Opacus -------------------------------------------------------------------


def __getattr__(name: str) -> object:
    # The class exists once Opacus is imported; found by this name it can be pickled.
    if name == "GdpnumAccountant":
        return _accountant_class()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@cache
def _accountant_class() -> type[CTDAccountant]:
    base = imported("opacus.accountants", extra="opacus").IAccountant
    members = {
        "__doc__": "A `CTDAccountant` that Opacus knows as ``gdpnum``.",
        "__module__": __name__,
        "mechanism": classmethod(lambda cls: _NAME),  # noqa: ARG005
    }
    return type("GdpnumAccountant", (CTDAccountant, base), members)


def _teach(original: Any, ours: type[CTDAccountant]) -> None:
    """Make Opacus 1.5, whose list of accountants is fixed, create ours by name as well."""
    if getattr(original, "knows_gdpnum", False):
        return

    def create_accountant(mechanism: str) -> object:
        return ours() if mechanism == _NAME else original(mechanism)

    vars(create_accountant)["knows_gdpnum"] = True
    imported("opacus", extra="opacus")
    imported("opacus.accountants.utils", extra="opacus")
    # Its modules import the function by name, so each holds a reference of its own.
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "opacus":
            for attribute, value in list(vars(module).items()):
                if value is original:
                    setattr(module, attribute, create_accountant)
