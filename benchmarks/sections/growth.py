"""Time and memory against the steps, the sampling rate, the segments and the tolerance."""

import math

from bench import Question, say
from cases import DELTA, paper, schedule
from packages import OURS
from report import duration, failure, table

TITLE = "Growth"
LIMIT = 20.0

#: Beside this library, on every second point: a peer and what it is asked.
PEERS = {"gdpnum 0.1.2": "mu", "dp-accounting": "epsilon"}


def _steady(steps):
    """Rate 0.1, and the noise at which the central limit theorem has mu = 1."""
    return [(1.0 / math.sqrt(math.log1p(1.0 / (0.01 * steps))), 0.1, steps)]


def _rare(steps):
    return [(0.8, 10.0**-0.5 / math.sqrt(steps), steps)]


DECADES = [10**power for power in range(2, 8)]

#: Name -> what grows, and the requests by its size.
SERIES = {
    "steps, steady": (
        "steps T, rate 0.1, noise growing so that mu stays about 1",
        {steps: {"segments": _steady(steps)} for steps in DECADES},
    ),
    "steps, fixed": (
        "steps T, sigma 1, rate 0.001",
        {steps: {"segments": [(1.0, 1e-3, steps)]} for steps in DECADES},
    ),
    "steps, rare": (
        "steps T, sigma 0.8, rate 0.316 / sqrt(T)",
        {steps: {"segments": _rare(steps)} for steps in DECADES},
    ),
    "rate": (
        "1 / rate, sigma 0.8, 10,000 steps",
        {10**power: {"segments": [(0.8, 10.0**-power, 10_000)]} for power in range(1, 7)},
    ),
    "segments": (
        "distinct segments of a noise schedule",
        {count: {"segments": schedule(count).segments} for count in (1, 3, 10, 30, 100, 300, 1000)},
    ),
    "tolerance": (
        "1 / tolerance, the paper's setting",
        {
            10**power: {"segments": paper().segments, "accuracy": 10.0**-power}
            for power in range(1, 7)
        },
    ),
    "tolerance, rare": (
        "1 / tolerance, (0.8, 0.01, 1000)",
        {
            10**power: {"segments": [(0.8, 0.01, 1000)], "accuracy": 10.0**-power}
            for power in range(1, 7)
        },
    ),
}


def measure(bench):
    return {
        "series": {
            name: {"title": title, "points": _points(bench, name, requests)}
            for name, (title, requests) in SERIES.items()
        }
    }


def _points(bench, name, requests):
    points = []
    given_up = set()
    for place, (size, request) in enumerate(bench.few(list(requests.items()), every=3)):
        answers = {OURS: bench.single(Question(OURS, "mu", request), limit=300.0)}
        if "accuracy" not in request and place % 2 == 0:
            for peer, task in PEERS.items():
                extra = {"delta": DELTA} if task == "epsilon" else {}
                if peer not in given_up:
                    question = Question(peer, task, {**request, **extra})
                    answers[peer] = bench.single(question, limit=LIMIT)
                    # What grows does not become faster again.
                    if "limit" in answers[peer]:
                        given_up.add(peer)
        say("growth", f"{name} {size:g}", answers)
        points.append({"size": size, "answers": answers})
    return points


def render(result):
    parts = [
        "Each in a fresh process: time of a call after the first, and the peak memory of it with "
        "all it imports. This library and gdpnum 0.1.2 give mu, dp-accounting epsilon; a peer is "
        f"stopped after {LIMIT:g} s, and is then not asked for more."
    ]
    for name, series in result["series"].items():
        peers = [peer for peer in PEERS if any(peer in p["answers"] for p in series["points"])]
        rows = [_row(point, [OURS, *peers]) for point in series["points"]]
        columns = [f"{label}, {what}" for label in (OURS, *peers) for what in ("time", "MB")]
        parts += [f"Against {series['title']}:", table(["size", *columns], rows)]
        if name in PICTURES:
            parts.append(
                f"![Time and memory against {series['title']}](plots/{PICTURES[name]}.svg)"
            )
    return "\n\n".join(parts)


def _row(point, labels):
    cells = [f"{point['size']:,}"]
    for label in labels:
        one = point["answers"].get(label)
        if one is None:
            cells += ["", ""]
        elif "error" in one:
            cells += [failure(one), ""]
        else:
            cells += [duration(one), f"{one['peak_mb']:.0f}"]
    return cells


#: Series -> the picture that is shown with it.
PICTURES = {
    "steps, steady": "growth_steps_steady",
    "steps, fixed": "growth_steps_fixed",
    "steps, rare": "growth_steps_rare",
    "rate": "growth_rate",
    "segments": "growth_segments",
    "tolerance": "growth_tolerance",
    "tolerance, rare": "growth_tolerance_rare",
}


def claims(result):
    found = []
    for name in ("steps, steady", "steps, fixed", "steps, rare"):
        points = [p for p in result["series"][name]["points"] if "seconds" in p["answers"][OURS]]
        first, last = points[0], points[-1]
        times = [p["answers"][OURS]["seconds"] for p in points]
        rise = last["size"] / first["size"]
        found.append(
            (
                f"time nearly flat in T, at most T^0.2 ({name.split(', ')[1]})",
                f"{max(times) / min(times):.1f} times between the fastest and the slowest, while T "
                f"grows {rise:,.0f} times",
                max(times) / min(times) <= rise**0.2,
            )
        )
    answers = [p["answers"][OURS] for s in result["series"].values() for p in s["points"]]
    peaks = [one["peak_mb"] for one in answers if "peak_mb" in one]
    found.append(
        (
            "memory bounded: below 1,000 MB",
            f"at most {max(peaks):.0f} MB in all of these",
            max(peaks) < 1000,
        )
    )
    return found


def plots(result):
    """Per series a pair of panels: time and memory."""
    found = {}
    for name, series in result["series"].items():
        found[PICTURES[name]] = [
            {
                "x": series["title"],
                "y": what,
                "scale": scale,
                "series": _curves(series["points"], key),
            }
            for what, key, scale in (
                ("seconds", "seconds", "log"),
                ("peak memory, MB", "peak_mb", "linear"),
            )
        ]
    return found


def _curves(points, key):
    curves = {}
    for point in points:
        for label, one in point["answers"].items():
            if key in one and "error" not in one:
                curves.setdefault(label, []).append((point["size"], one[key]))
    return curves
