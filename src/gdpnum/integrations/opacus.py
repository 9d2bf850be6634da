"""Opacus 1.5 and 1.6: our accountant in its engine, and its histories in our words.

::

    gdpnum.integrations.opacus.register()
    engine = PrivacyEngine(accountant="gdpnum")
    ...                                      # make_private, training, checkpoints as ever
    engine.accountant.get_mu_and_regret()

Next to another accountant, nothing needs to be registered: ``from_opacus(engine)`` describes what
any engine has run so far, as often as it is asked.

Opacus accounts for Poisson sampling whatever the sampler does. `from_opacus` and the registered
accountant look at what ``make_private`` returned and account for what they see; `check_engine`
(in ``engine_check``) lists it.
"""

from __future__ import annotations

import sys
import warnings
from functools import cache, wraps
from typing import Any

from gdpnum._optional import imported
from gdpnum.dpsgd import AccountingMismatch, CTDAccountant
from gdpnum.draws import Seen
from gdpnum.integrations.engine_check import check_engine, findings_of
from gdpnum.integrations.opacus_record import note, seen_of
from gdpnum.mechanisms import Mechanism

__all__ = ["AccountingMismatch", "from_opacus", "register"]

_NAME = "gdpnum"


def register() -> type[CTDAccountant]:
    """Make ``PrivacyEngine(accountant="gdpnum")`` work, and return the class of that accountant.

    The class, also to be had as ``GdpnumAccountant`` from this module, is a `CTDAccountant` and an
    ``opacus.accountants.IAccountant``. Registering again changes nothing. Opacus 1.5 has no
    registry; there its ``create_accountant`` is replaced, in all its modules, by one that knows
    ours too.

    An engine does not keep how its batches are drawn. From here on ``make_private`` shows it to
    whichever accountant counts for it, so that `from_opacus` and ours account for what was run; of
    what ours has to account for in another way than Opacus it warns (`AccountingMismatch`).
    """
    accountants = imported("opacus.accountants", extra="opacus")
    ours = _accountant_class()
    if hasattr(accountants, "register_accountant"):
        accountants.register_accountant(_NAME, ours, force=True)
    else:
        _teach(accountants.create_accountant, ours)
    _watch(imported("opacus.privacy_engine", extra="opacus").PrivacyEngine)
    return ours


def from_opacus(
    source: object, *, data_loader: object = None, optimizer: object = None
) -> Mechanism:
    """What was run under Opacus, as a mechanism with equal segments merged.

    ``source`` is a PrivacyEngine, an accountant (RDP, PRV, GDP, ours), a history, or a checkpoint:
    its path, an open file, or the dict in it. A file is read without running anything in it.

    ``data_loader`` and ``optimizer`` are those that ``make_private`` returned. What they show is
    accounted for as in `check_engine`, and warned of (`AccountingMismatch`). A history alone does
    not say how batches were drawn: without them, and unless the engine was made after `register`,
    Poisson samples are assumed. `check_engine` says what was not checked.

    >>> from_opacus([(1.0, 0.01, 300), (1.0, 0.01, 200)])
    PoissonSampled(Gaussian(sigma=1.0), rate=0.01) * 500
    """
    check = check_engine(source, data_loader, optimizer)
    for finding in check.findings:
        if finding.effect != "harmless":
            _warn(finding.text)
    return check.run


def _warn(message: str) -> None:
    # Point at the line that called: the first frame outside this file.
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
        "__init__": _start,
        "mechanism": classmethod(lambda cls: _NAME),  # noqa: ARG005
    }
    return type("GdpnumAccountant", (CTDAccountant, base), members)


def _start(self: CTDAccountant) -> None:
    CTDAccountant.__init__(self)
    self.seen = Seen()  # so far nothing, which a statement has to say


def _watch(engine_class: Any) -> None:
    """Let accountants know what ``make_private`` returns."""
    original = engine_class.make_private
    if getattr(original, "shows_gdpnum", False):
        return

    @wraps(original)
    def make_private(engine: Any, **arguments: Any) -> Any:
        made = original(engine, **arguments)
        optimizer, loader = made[1], made[-1]
        if hasattr(loader, "batch_sampler"):
            seen = seen_of(engine, loader, optimizer, arguments.get("noise_multiplier"))
            note(engine.accountant, seen)
            if isinstance(engine.accountant, CTDAccountant):
                for finding in findings_of((), seen):
                    if finding.effect != "harmless":
                        _warn(finding.text)
        return made

    vars(make_private)["shows_gdpnum"] = True
    engine_class.make_private = make_private


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
