"""Where the time of one call goes."""

from packages import OURS
from report import table, time

TITLE = "One call, stage by stage"

#: (sigma, rate, steps), all of them for the contour.
CALLS = [(9.4, 0.32768, 2000), (40.0, 0.32768, 906), (1.0, 0.01, 1000), (0.8, 0.01, 1000)]


def measure(bench):
    rows = []
    for sigma, rate, steps in bench.few(CALLS, every=5):
        calls = 1 if bench.quick else 20
        request = {"segments": [(sigma, rate, steps)], "accuracy": 1e-3, "calls": calls}
        found = bench.judgement("breakdown", request)
        name = f"({sigma:g}, {rate:g}, {steps})"
        print(f"breakdown   {name}: {time(found['whole'])}", flush=True)
        rows.append({"name": name, **found})
    return {"cases": rows}


def render(result):
    rows = result["cases"]
    names = list(rows[0]["stages"])
    lines = [
        [
            row["name"],
            time(row["whole"]),
            *(f"{100 * share:.0f} %" for share in _shares(row).values()),
        ]
        for row in rows
    ]
    return "\n\n".join(
        [
            "One `fit_gdp` after the other, (sigma, rate, steps), and the share of each stage in "
            "it. The transform is the integral along a line, with its plan; mu and regret are read "
            "off it.",
            table(["", "whole", *names], lines),
        ]
    )


def _shares(row):
    total = sum(row["stages"].values())
    return {name: one / total for name, one in row["stages"].items()}


def summary(result):
    row = result["cases"][0]
    text = f"{time(row['whole'])}, {100 * _shares(row)['transform']:.0f} % transform"
    return [{"work": f"breakdown, {row['name']}", OURS: text}]
