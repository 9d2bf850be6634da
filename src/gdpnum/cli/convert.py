"""``gdpnum convert``: from one way of stating privacy to the others."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, Any

import typer

import gdpnum
from gdpnum.cli import options
from gdpnum.cli.program import epilog
from gdpnum.cli.tables import as_json as json_of
from gdpnum.cli.tables import as_table
from gdpnum.errors import InvalidArgument

__all__ = ["EPILOG", "convert"]

EPILOG = epilog(
    "gdpnum convert --mu 1.57 --delta 1e-5 --fpr 0.1",
    "gdpnum convert --mu 1.57 --epsilon 4",
    "gdpnum convert --epsilon 4 --delta 1e-5",
    note="JSON keys: from (what was given), mu, holds_for (of what this is the mu), advantage, rho "
    "(of zCDP), epsilon (a list of {delta, epsilon}), delta (a list of {epsilon, delta}), tpr (a "
    "list of {fpr, tpr}); infinity is the text inf.",
)

_DELTAS = (1e-5, 1e-6, 1e-9)
_FPRS = (1e-4, 1e-3, 1e-2, 1e-1)

_GAUSSIAN = "the Gaussian mechanism only; others may have a larger mu, or none"


def convert(
    *,
    mu: Annotated[float | None, typer.Option(help="From mu-GDP.")] = None,
    epsilon: Annotated[
        float | None,
        typer.Option(help="From epsilon, with --delta or pure; after --mu: report delta here."),
    ] = None,
    advantage: Annotated[
        float | None, typer.Option(help="From the largest TPR - FPR of a Gaussian mechanism.")
    ] = None,
    tpr: Annotated[
        float | None, typer.Option(help="From a TPR at --fpr, of a Gaussian mechanism.")
    ] = None,
    rho: Annotated[
        float | None, typer.Option(help="From rho-zCDP, with --assuming-gaussian.")
    ] = None,
    delta: Annotated[
        list[float] | None,
        typer.Option(
            metavar="DELTA",
            help="The delta of --epsilon; else report epsilon here, may be repeated.",
        ),
    ] = None,
    fpr: Annotated[
        list[float] | None,
        typer.Option(
            metavar="FPR", help="The FPR of --tpr; else report the TPR here, may be repeated."
        ),
    ] = None,
    assuming_gaussian: Annotated[
        bool, typer.Option("--assuming-gaussian", help="The mechanism of --rho is Gaussian.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Convert mu to epsilon, delta, advantage, TPR and rho, or back.

    What follows from mu holds for every mu-GDP mechanism. The way back holds for the Gaussian
    mechanism only, except from a pure epsilon; the answer says so.
    """
    deltas, fprs = list(delta or []), list(fpr or [])
    epsilons = [epsilon] if mu is not None and epsilon is not None else []
    sources = {
        "mu": mu,
        "epsilon": None if epsilons else epsilon,
        "advantage": advantage,
        "tpr": tpr,
        "rho": rho,
    }
    stated = {name: value for name, value in sources.items() if value is not None}
    if len(stated) != 1:
        came = " and ".join(f"--{name}" for name in stated) + " are given"
        raise InvalidArgument(
            f"{came if stated else 'nothing to convert is given'}; "
            "pass one of --mu, --epsilon, --advantage, --tpr with --fpr, --rho"
        )
    if assuming_gaussian and rho is None:
        raise InvalidArgument("--assuming-gaussian is for --rho; leave it out")
    if rho is not None and not assuming_gaussian:
        raise InvalidArgument(
            "rho-zCDP alone implies no finite mu; pass --assuming-gaussian if the mechanism is "
            "one, or describe what was run to gdpnum run"
        )
    (name,) = stated
    if name == "epsilon":
        stated |= _own("delta", deltas, needed=False)
    if name == "tpr":
        stated |= _own("fpr", fprs, needed=True)
    found, holds_for = _mu(name, stated)
    if math.isinf(found):
        raise InvalidArgument(f"no finite mu has {_shown(stated)}; pass a stronger guarantee")
    record = _record(found, stated, epsilons, deltas or list(_DELTAS), fprs or list(_FPRS))
    document = {"from": stated, "mu": found, "holds_for": holds_for, **record}
    typer.echo(json_of(document) if as_json else "\n".join(_lines(document)))


def _own(name: str, places: list[float], *, needed: bool) -> dict[str, float]:
    """The place that belongs to the source itself; others are for reports."""
    if not places and not needed:
        return {}
    if len(places) != 1:
        owner = {"delta": "epsilon", "fpr": "tpr"}[name]
        raise InvalidArgument(f"--{owner} has {len(places)} of --{name}; pass one")
    return {name: places.pop()}


def _mu(name: str, stated: dict[str, float]) -> tuple[float, str]:
    if name == "mu":
        return stated["mu"], "every mu-GDP mechanism"
    if name == "advantage":
        return gdpnum.mu_from_advantage(stated["advantage"]), _GAUSSIAN
    if name == "tpr":
        return gdpnum.mu_from_tpr(stated["tpr"], stated["fpr"]), _GAUSSIAN
    if name == "rho":
        return gdpnum.mu_from_rho(stated["rho"], assuming="gaussian"), _GAUSSIAN
    if stated.get("delta"):
        return gdpnum.mu_from_epsilon_delta(stated["epsilon"], stated["delta"]), _GAUSSIAN
    return gdpnum.mu_from_epsilon(stated["epsilon"]), "every epsilon-DP mechanism"


def _record(
    mu: float,
    stated: dict[str, float],
    epsilons: list[float],
    deltas: list[float],
    fprs: list[float],
) -> dict[str, Any]:
    def epsilon(delta: float) -> float:
        # A given epsilon holds at every larger delta; by way of mu it would be rounded up.
        holds = "epsilon" in stated and delta >= stated.get("delta", 0.0)
        known = stated["epsilon"] if holds else math.inf
        return min(known, gdpnum.epsilon_from_mu(mu, delta))

    return {
        "advantage": stated.get("advantage", gdpnum.advantage_from_mu(mu)),
        "rho": stated.get("rho", gdpnum.rho_from_mu(mu)),
        "epsilon": [{"delta": at, "epsilon": epsilon(at)} for at in deltas],
        "delta": [{"epsilon": at, "delta": gdpnum.delta_from_mu(mu, at)} for at in epsilons],
        "tpr": [{"fpr": at, "tpr": gdpnum.tpr_from_mu(mu, at)} for at in fprs],
    }


def _lines(document: dict[str, Any]) -> Iterator[str]:
    from gdpnum.statements.numbers import (  # noqa: PLC0415
        delta_shown,
        epsilon_shown,
        fpr_shown,
        upper,
    )

    yield f"From {_shown(document['from'])}; holds for {document['holds_for']}."
    yield ""
    yield as_table([
        ("mu", upper(document["mu"]), "of Gaussian DP"),
        ("advantage", upper(document["advantage"]), "most that TPR can exceed FPR by"),
        ("rho", upper(document["rho"]), "of zCDP, mu^2 / 2"),
    ])  # fmt: skip
    yield ""
    rows = [(delta_shown(row["delta"]), upper(row["epsilon"])) for row in document["epsilon"]]
    yield as_table([("delta", "epsilon at most"), *rows])
    if document["delta"]:
        rows = [(epsilon_shown(row["epsilon"]), upper(row["delta"])) for row in document["delta"]]
        yield ""
        yield as_table([("epsilon", "delta at most"), *rows])
    yield ""
    rows = [(fpr_shown(row["fpr"]), upper(row["tpr"])) for row in document["tpr"]]
    yield as_table([("FPR", "TPR at most"), *rows])


def _shown(stated: dict[str, float]) -> str:
    from gdpnum.statements.numbers import as_given  # noqa: PLC0415

    return ", ".join(f"{name} = {as_given(value)}" for name, value in stated.items())
