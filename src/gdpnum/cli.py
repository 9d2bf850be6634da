"""The command line: arguments in, a table or JSON out.

Imports that compute stay inside the functions, so that ``gdpnum --help`` answers at once.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

import typer

import gdpnum
from gdpnum import _validate
from gdpnum.errors import GdpnumError, InvalidArgument
from gdpnum.rounding import rounded_down, rounded_up

if TYPE_CHECKING:
    from gdpnum import GDPFit, Mechanism, TradeoffCurve

__all__ = ["app", "main"]

FPRS = (1e-10, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 1e-1)
DELTAS = (1e-5, 1e-6, 1e-9)

# Below this regret, mu says practically all that the curve does.
COMPLETE_REGRET = 0.01
# Above this ratio of mu to the mu that matches the advantage, rare events drive mu.
HEAVY_TAIL = 1.2

app = typer.Typer(
    help="Differential privacy accounting in Gaussian DP, where every number is a guarantee.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def main() -> None:
    """Run the command line; the ``gdpnum`` script calls this."""
    app()


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"gdpnum {gdpnum.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Options before any command; with this, ``dpsgd`` stays a command of its own."""


@app.command()
def dpsgd(
    *,
    noise_multiplier: Annotated[
        float, typer.Option(help="Standard deviation of the noise divided by the clipping norm.")
    ],
    sample_rate: Annotated[
        float | None, typer.Option(help="Probability that a record joins a step.")
    ] = None,
    batch_size: Annotated[
        int | None, typer.Option(help="Expected batch size; with --dataset-size.")
    ] = None,
    dataset_size: Annotated[int | None, typer.Option(help="Number of records.")] = None,
    steps: Annotated[int | None, typer.Option(help="Number of steps.")] = None,
    epochs: Annotated[
        float | None, typer.Option(help="Passes over the data, instead of --steps.")
    ] = None,
    delta: Annotated[
        list[float] | None, typer.Option(help="Report epsilon here; may be repeated.")
    ] = None,
    slack: Annotated[float, typer.Option(help="How far a TPR may exceed what mu allows.")] = 1e-10,
    tolerance: Annotated[float, typer.Option(help="Relative numerical accuracy of mu.")] = 1e-3,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Account for a DP-SGD training run."""
    try:
        rate = _rate(sample_rate, batch_size, dataset_size)
        run = gdpnum.DPSGD(
            noise_multiplier=noise_multiplier,
            sample_rate=float(rate),
            steps=_steps(steps, epochs, rate),
        )
        deltas = [_validate.probability("delta", value) for value in delta or DELTAS]
        fit = gdpnum.fit_gdp(run, slack=slack, tolerance=tolerance)
        curve = gdpnum.tradeoff_curve(run, tolerance=tolerance)
        record = _record(run, fit, curve, deltas, tolerance)
        typer.echo(_json(record) if as_json else "\n".join(_lines(record)))
    except GdpnumError as error:
        typer.echo(f"gdpnum: {error}", err=True)
        raise typer.Exit(2) from None


def _rate(sample_rate: float | None, batch_size: int | None, dataset_size: int | None) -> Fraction:
    # A fraction of the decimals as typed: in floats, 3 epochs at rate 0.3 would take 11 steps.
    if sample_rate is not None and batch_size is None and dataset_size is None:
        advice = "pass the probability that a record joins a step"
        return _typed(_validate.probability("sample_rate", sample_rate, advice=advice))
    if sample_rate is not None or batch_size is None or dataset_size is None:
        raise InvalidArgument("pass either --sample-rate, or --batch-size and --dataset-size")
    _validate.count("batch_size", batch_size, advice="pass the expected number of records")
    _validate.count("dataset_size", dataset_size, minimum=1, advice="pass the number of records")
    if batch_size > dataset_size:
        raise InvalidArgument(
            f"batch_size={batch_size} is above dataset_size={dataset_size}; pass at most as many"
        )
    return Fraction(batch_size, dataset_size)


def _steps(steps: int | None, epochs: float | None, rate: Fraction) -> int:
    if steps is not None and epochs is None:
        return steps
    if steps is not None or epochs is None:
        raise InvalidArgument("pass either --steps or --epochs")
    passes = _typed(_validate.positive("epochs", epochs, advice="pass the passes over the data"))
    if rate == 0:
        raise InvalidArgument("epochs need a sample rate above 0; pass --steps instead")
    return math.ceil(passes / rate)


def _typed(number: float) -> Fraction:
    return Fraction(repr(number))


def _record(
    run: Mechanism, fit: GDPFit, curve: TradeoffCurve, deltas: list[float], tolerance: float
) -> dict[str, Any]:
    return {
        "mechanism": repr(run),
        "mu": fit.mu,
        "mu_lower": fit.mu_lower,
        "slack": fit.slack,
        "regret": fit.regret,
        "verdict": _verdict(fit.regret),
        "tail_ratio": fit.tail_ratio,
        "advantage": fit.advantage,
        "reason": fit.reason,
        "tpr": [
            {"fpr": fpr, "tpr": float(curve.tpr(fpr)), "tpr_gdp": fit.tpr(fpr)} for fpr in FPRS
        ],
        "epsilon": [{"delta": delta, "epsilon": float(curve.epsilon(delta))} for delta in deltas],
        "assumptions": {
            "neighbouring": run.neighbouring,
            "sampling": "Poisson",
            "noise_multiplier": "noise standard deviation / clipping norm",
            "tolerance": tolerance,
            "version": gdpnum.__version__,
        },
    }


def _lines(record: dict[str, Any]) -> Iterator[str]:
    mu, slack = record["mu"], record["slack"]
    yield record["mechanism"]
    yield ""
    if math.isfinite(mu):
        yield f"This run is {rounded_up(mu)}-GDP with slack {slack:g}: at any FPR, no attack on one"
        yield f"record has a TPR above that of a {rounded_up(mu)}-GDP mechanism plus {slack:g}."
    else:
        yield f"This run has no finite mu at slack {slack:g}: {record['reason']}."
    yield ""
    yield f"mu          {rounded_up(mu):<10} at least {rounded_down(record['mu_lower'])}"
    yield f"regret      {rounded_up(record['regret']):<10} {record['verdict']}"
    yield f"tail ratio  {rounded_up(record['tail_ratio']):<10} {_tail(record['tail_ratio'])}"
    yield f"advantage   {rounded_up(record['advantage']):<10} most that TPR can exceed FPR by"
    yield ""
    yield f"{'FPR':<10}{'TPR at most':<14}by mu alone"
    for row in record["tpr"]:
        yield f"{row['fpr']:<10g}{rounded_up(row['tpr']):<14}{rounded_up(row['tpr_gdp'])}"
    yield ""
    yield f"{'delta':<10}epsilon at most"
    for row in record["epsilon"]:
        yield f"{row['delta']:<10g}{rounded_up(row['epsilon'])}"
    yield ""
    yield "Assumed: neighbours differ by one record added or removed; each record joins each step"
    yield "with the same probability, by itself (Poisson sampling); the noise multiplier is the"
    yield "standard deviation of the noise / clipping norm. Upper bounds are rounded up."
    tolerance, version = record["assumptions"]["tolerance"], record["assumptions"]["version"]
    yield f"Slack {slack:g}, tolerance {tolerance:g}, gdpnum {version}."


def _verdict(regret: float) -> str:
    if regret < COMPLETE_REGRET:
        return f"below {COMPLETE_REGRET:g}: mu is a complete report"
    return f"not below {COMPLETE_REGRET:g}: mu is not a good summary, report the tables too"


def _tail(ratio: float) -> str:
    if ratio <= HEAVY_TAIL:
        return "mu divided by the mu that matches the advantage"
    return f"above {HEAVY_TAIL:g}: WARNING, rare events drive mu; it overstates the typical risk"


def _json(record: dict[str, Any]) -> str:
    return json.dumps(_finite(record), indent=2, allow_nan=False)


def _finite(value: Any) -> Any:
    # JSON has no infinity; float("inf") reads this text back.
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return "inf" if value == math.inf else value
