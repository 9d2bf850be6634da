"""``gdpnum convert``: from one way of stating privacy to the others."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, final

import typer

import gdpnum
from gdpnum.cli.options import JSON, Option, takes
from gdpnum.cli.program import epilog
from gdpnum.cli.tables import as_table, json_of
from gdpnum.errors import InvalidArgument
from gdpnum.rounding import as_given, delta_shown, epsilon_shown, fpr_shown, upper

EPILOG = epilog(
    "gdpnum convert --mu 1.57 --delta 1e-5 --fpr 0.1",
    "gdpnum convert --mu 1.57 --slack 1e-10 --epsilon 4",
    "gdpnum convert --epsilon 4 --delta 1e-5",
    note="JSON keys: from (what was given), mu, slack, holds_for (of what this is the mu), "
    "advantage, rho (of zCDP), epsilon (a list of {delta, epsilon}), delta (a list of {epsilon, "
    "delta}), tpr (a list of {fpr, tpr}); infinity is the text inf.",
)

_DELTAS = (1e-5, 1e-6, 1e-9)
_FPRS = (1e-4, 1e-3, 1e-2, 1e-1)

_GAUSSIAN = "the Gaussian mechanism only; others may have a larger mu, or none"


@takes(
    Option("mu", "number", "From mu-GDP."),
    Option("epsilon", "number", "From epsilon, at --delta or pure; with --mu: report delta here."),
    Option("advantage", "number", "From the largest TPR - FPR of a Gaussian mechanism."),
    Option("tpr", "number", "From a TPR at --fpr, of a Gaussian mechanism."),
    Option("rho", "number", "From rho-zCDP."),
    Option("slack", "number", "The slack of --mu, as a statement has it."),
    Option(
        "delta", "numbers", "The delta of --epsilon; else report epsilon here; may be repeated."
    ),
    Option("fpr", "numbers", "The FPR of --tpr; else report the TPR here, may be repeated."),
    Option("assuming_gaussian", "flag", "The mechanism of --rho is Gaussian, and so has a mu."),
    JSON,
)
def convert(
    *,
    mu: float | None,
    epsilon: float | None,
    delta: list[float] | None,
    fpr: list[float] | None,
    slack: float | None,
    assuming_gaussian: bool,
    as_json: bool,
    **others: float | None,
) -> None:
    """Convert mu to epsilon, delta, advantage, TPR and rho, or back.

    What follows from mu, from a pure epsilon or from rho holds for every such mechanism. The way
    back from a single point of a curve holds for the Gaussian mechanism only; the answer says so.
    """
    deltas, fprs = list(delta or []), list(fpr or [])
    epsilons = [epsilon] if mu is not None and epsilon is not None else []
    sources = {"mu": mu, "epsilon": None if epsilons else epsilon, **others}
    stated = {name: value for name, value in sources.items() if value is not None}
    if len(stated) != 1:
        came = " and ".join(f"--{name}" for name in stated) + " are given"
        raise InvalidArgument(
            f"{came if stated else 'nothing to convert is given'}; "
            "pass one of --mu, --epsilon, --advantage, --tpr with --fpr, --rho"
        )
    if assuming_gaussian and "rho" not in stated:
        raise InvalidArgument("--assuming-gaussian is for --rho; leave it out")
    (name,) = stated
    if slack is not None and name != "mu":
        raise InvalidArgument(f"--slack={slack!r} is for --mu; leave it out")
    if name == "epsilon":
        stated |= _own("delta", deltas, needed=False)
    if name == "tpr":
        stated |= _own("fpr", fprs, needed=True)
    if name == "rho" and not assuming_gaussian:
        claim = _of_rho(stated["rho"])
    elif name == "epsilon" and not stated.get("delta"):
        claim = _of_pure(stated["epsilon"])
    elif slack:
        claim = _of_mu_with_slack(stated["mu"], slack)
    else:
        found = _gaussian_mu(name, stated)
        if math.isinf(found):
            raise InvalidArgument(f"no finite mu has {_shown(stated)}; pass a stronger guarantee")
        claim = _of_mu(found, stated)
    document = {
        "from": stated,
        "mu": claim.mu,
        "slack": claim.slack,
        "holds_for": claim.holds_for,
        "advantage": claim.advantage,
        "rho": claim.rho,
        "epsilon": [{"delta": at, "epsilon": claim.epsilon(at)} for at in deltas or _DELTAS],
        "delta": [{"epsilon": at, "delta": claim.delta(at)} for at in epsilons],
        "tpr": [{"fpr": at, "tpr": claim.tpr(at)} for at in fprs or _FPRS],
    }
    typer.echo(json_of(document) if as_json else "\n".join(_lines(document)))


@final
@dataclass(frozen=True)
class _Claim:
    """What is known of the mechanisms that have what was given."""

    mu: float
    slack: float
    holds_for: str
    advantage: float
    rho: float
    epsilon: Callable[[float], float]
    delta: Callable[[float], float]
    tpr: Callable[[float], float]


def _of_mu(mu: float, stated: dict[str, float]) -> _Claim:
    def epsilon(delta: float) -> float:
        # A given epsilon holds at every larger delta; by way of mu it would be rounded up.
        holds = "epsilon" in stated and delta >= stated.get("delta", 0.0)
        known = stated["epsilon"] if holds else math.inf
        return min(known, gdpnum.epsilon_from_mu(mu, delta))

    return _Claim(
        mu,
        0.0,
        "every mu-GDP mechanism" if "mu" in stated else _GAUSSIAN,
        stated.get("advantage", gdpnum.advantage_from_mu(mu)),
        stated.get("rho", gdpnum.rho_from_mu(mu)),
        epsilon,
        lambda at: gdpnum.delta_from_mu(mu, at),
        lambda at: gdpnum.tpr_from_mu(mu, at),
    )


def _of_mu_with_slack(mu: float, slack: float) -> _Claim:
    """Every bound is that of mu, with so much more."""
    curve = gdpnum.GDP(mu=mu, slack=slack).curve()
    return _Claim(
        mu,
        slack,
        "every (mu, slack)-GDP mechanism",
        curve.advantage,
        math.inf,
        curve.epsilon,
        curve.delta,
        curve.tpr,
    )


def _of_pure(epsilon: float) -> _Claim:
    """From epsilon-DP itself: by way of its mu, TPR and rho would be looser."""
    pure = gdpnum.PureDP(epsilon=epsilon)
    curve = pure.curve()
    return _Claim(
        gdpnum.mu_from_epsilon(epsilon),
        0.0,
        "every epsilon-DP mechanism",
        curve.advantage,
        gdpnum.ZCDP.fit(pure).rho,
        lambda delta: min(epsilon, curve.epsilon(delta)),
        curve.delta,
        curve.tpr,
    )


def _of_rho(rho: float) -> _Claim:
    """From rho-zCDP itself, as gdpnum run ZCDP has it: it has no mu without a slack."""
    fit = gdpnum.fit_gdp(gdpnum.ZCDP(rho=rho))
    curve = gdpnum.ZCDP(rho=rho).curve().symmetrised()
    return _Claim(
        fit.mu,
        fit.slack,
        "every rho-zCDP mechanism; pass --assuming-gaussian if yours is Gaussian",
        curve.advantage,
        rho,
        curve.epsilon,
        curve.delta,
        curve.tpr,
    )


def _own(name: str, places: list[float], *, needed: bool) -> dict[str, float]:
    """The place that belongs to the source itself; others are for reports."""
    if not places and not needed:
        return {}
    if len(places) != 1:
        owner = {"delta": "epsilon", "fpr": "tpr"}[name]
        came = f"{len(places)} of --{name} are given" if places else f"no --{name} is given"
        raise InvalidArgument(f"{came} for --{owner}; pass one")
    return {name: places.pop()}


def _gaussian_mu(name: str, stated: dict[str, float]) -> float:
    if name == "mu":
        return stated["mu"]
    if name == "advantage":
        return gdpnum.mu_from_advantage(stated["advantage"])
    if name == "tpr":
        return gdpnum.mu_from_tpr(stated["tpr"], stated["fpr"])
    if name == "rho":
        return gdpnum.mu_from_rho(stated["rho"], assuming="gaussian")
    return gdpnum.mu_from_epsilon_delta(stated["epsilon"], stated["delta"])


def _lines(document: dict[str, Any]) -> Iterator[str]:
    slack = f", with slack {delta_shown(document['slack'])}" if document["slack"] else ""
    yield f"From {_shown(document['from'])}; holds for {document['holds_for']}."
    yield ""
    yield as_table([
        ("mu", upper(document["mu"], digits=5), f"of Gaussian DP{slack}"),
        ("advantage", upper(document["advantage"]), "most that TPR can exceed FPR by"),
        ("rho", upper(document["rho"]), "of zCDP"),
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
    if "mu" in document["from"] and not document["slack"]:
        yield ""
        yield "Of mu without a slack; of a statement's mu, pass its --slack as well."


def _shown(stated: dict[str, float]) -> str:
    return ", ".join(f"{name} = {as_given(value)}" for name, value in stated.items())
