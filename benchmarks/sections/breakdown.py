"""Where the time of one call goes."""

from packages import OURS
from report import table, time

TITLE = "One call, stage by stage"

#: What no method by Fourier transform can do without.
UNAVOIDABLE = ["lattice", "transforms", "tilts and powers"]

#: Segments and tolerance.
CALLS = [
    ([(9.4, 0.32768, 2000)], 1e-3),
    ([(9.4, 0.32768, 2000)], 1e-5),
    ([(40.0, 0.32768, 906)], 1e-3),
    ([(1.0, 0.01, 1000)], 1e-3),
    ([(0.5, 0.001, 1000)], 1e-3),
    ([(0.5, 0.001, 1000)], 1e-5),
]

#: A lattice so coarse that what is left of a call is what it costs on arrays of no length.
COARSEST = 0.3


def measure(bench):
    rows = []
    for segments, tolerance in bench.few(CALLS, every=5):
        calls = 1 if bench.quick else 20
        request = {"segments": segments, "accuracy": tolerance, "calls": calls}
        found = bench.judgement("breakdown", request)
        fixed = bench.judgement("breakdown", {**request, "accuracy": COARSEST})["whole"]
        sigma, rate, steps = segments[0]
        name = f"({sigma:g}, {rate:g}, {steps}) at {tolerance:g}"
        print(f"breakdown   {name}: {time(found['whole'])}", flush=True)
        rows.append({"name": name, "fixed": fixed, **found})
    return {"cases": rows}


def render(result):
    rows = result["cases"]
    names = list(rows[0]["stages"])
    lines = [
        [
            row["name"],
            time(row["whole"]),
            *(f"{100 * share:.0f} %" for share in _shares(row).values()),
            f"{100 * _unavoidable(row):.0f} %",
            f"{100 * min(1.0, row['fixed'] / row['whole']):.0f} %",
        ]
        for row in rows
    ]
    return "\n\n".join(
        [
            "One `fit_gdp` after the other, (sigma, rate, steps) at a tolerance, and the share of "
            "each stage in it. A fit composes four times: two directions from above, and the P and "
            "Q sides of the attacks that bound it from below. Unavoidable are the first three "
            "stages together: one release on its lattice, transforms, powers. Fixed is the time of "
            f"the same call at tolerance {COARSEST:g}, where arrays have next to no length: what "
            "some hundreds of calls of numpy cost, whatever they are given.",
            table(["", "whole", *names, "unavoidable", "fixed"], lines),
        ]
    )


def _shares(row):
    total = sum(row["stages"].values())
    return {name: one / total for name, one in row["stages"].items()}


def _unavoidable(row):
    shares = _shares(row)
    return sum(shares[name] for name in UNAVOIDABLE)


def summary(result):
    row = result["cases"][0]
    text = f"{time(row['whole'])}, {100 * _unavoidable(row):.0f} % unavoidable"
    return [{"work": f"breakdown, {row['name']}", OURS: text}]
