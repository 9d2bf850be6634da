"""Engines that expose ``noise_multiplier``, ``sample_rate`` and ``steps``.

private-transformers and fastDP have such engines.
"""

from __future__ import annotations

from gdpnum.errors import InvalidArgument, InvalidType
from gdpnum.history import run_of
from gdpnum.mechanisms import Mechanism

__all__ = ["from_engine"]

_ATTRIBUTES = ("noise_multiplier", "sample_rate", "steps")


def from_engine(engine: object) -> Mechanism:
    """What an engine has run so far: ``steps`` of DP-SGD at its noise multiplier and sample rate.

    The three attributes are read as they are now, so the mechanism is right if noise and rate did
    not change on the way, and if the batches come by Poisson sampling: private-transformers and
    fastDP leave the sampler to their user.

    >>> from types import SimpleNamespace
    >>> from_engine(SimpleNamespace(noise_multiplier=0.8, sample_rate=0.01, steps=300))
    PoissonSampled(Gaussian(sigma=0.8), rate=0.01) * 300
    """
    found = [getattr(engine, name, None) for name in _ATTRIBUTES]
    missing = [name for name, value in zip(_ATTRIBUTES, found, strict=True) if value is None]
    if missing:
        advice = (
            "pass it to from_opacus"
            if hasattr(engine, "accountant") or hasattr(engine, "history")
            else "pass an engine that has made its first step"
        )
        raise InvalidType(
            f"an engine of type {type(engine).__name__} has no {' and no '.join(missing)}; {advice}"
        )
    try:
        return run_of([tuple(found)])
    except InvalidArgument as error:
        detail = str(error).partition(": ")[2].replace("num_steps", "steps")
        raise InvalidArgument(f"{type(engine).__name__}: {detail}") from None
