"""The TPR at FPR 1e-4 of the 31 tabulated runs."""

from statistics import median

from bench import Question
from cases import FPR, reference
from packages import OURS
from report import comparison, excess, geometric_mean, seconds_of, time
from report import summary as summary_line

TITLE = "TPR at FPR 1e-4"
PEERS = ["gdpnum 0.1.2", "riskcal"]
FINE = 1e-5


def measure(bench):
    cases = [bench.bracketed(case) for case in bench.few(reference())]
    rows = []
    for case in cases:
        row = bench.row(case, "tpr", [OURS, *PEERS], repeats=min(3, bench.repeats))
        # The peers, where they are right, are more accurate than a default tolerance of 1e-3.
        request = {"segments": case.segments, "fpr": FPR, "accuracy": FINE}
        row["fine"] = bench.turns({OURS: Question(OURS, "tpr", request)})[OURS]
        rows.append(row)
    return {"cases": rows}


def render(result):
    return "\n\n".join(
        [
            "The true TPR is bracketed by this library at tolerance 1e-5. The lower end, shown "
            "here, is that of a test which exists, so a TPR below it is WRONG. dp-accounting, "
            "prv-accountant, PLD_accounting and Opacus have no trade-off curve.",
            comparison(result["cases"], PEERS),
            _fine(result["cases"]),
        ]
    )


def _fine(rows):
    """What this library takes to be as accurate as the peers are where they are right."""
    seconds = geometric_mean(median(seconds_of(row["fine"])) for row in rows)
    worst = max(excess(row["fine"]["tpr"], row["true"]) for row in rows)
    return (
        f"At tolerance {FINE:g} this library takes {time(seconds)} (geometric mean) and is within "
        f"{100.0 * worst:.2g} % of that lower end in all cases."
    )


def summary(result):
    rows = result["cases"]
    return [summary_line(f"TPR at FPR 1e-4, {len(rows)} runs", rows, PEERS)]
