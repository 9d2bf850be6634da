"""Epsilon at delta 1e-6 of the 31 tabulated runs: time against accuracy."""

from accuracy import at_equal_accuracy, match, mean_point, package_of, peers_right, ratio_cell
from bench import Question, say
from cases import DELTA, reference
from packages import OURS, PACKAGES, PEERS
from report import comparison, factor, overall, table, time
from report import summary as summary_line

TITLE = "epsilon at delta 1e-6"

#: The accuracy that each package is asked for; the first is its default, or what its
#: documentation calls typical. None where there is no such setting.
ACCURACIES = {
    OURS: [1e-3, 1e-2, 5e-3, 2e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5],
    "gdpnum 0.1.2": [None],
    "riskcal": [None],
    "dp-accounting": [1e-4, 1e-3, 1e-2],
    "prv-accountant": [0.1, 0.01],
    "PLD_accounting": [1e-4, 1e-3, 1e-2],
    "Opacus PRV": [0.01, 0.1],
    "Opacus RDP": [None],
}

#: Asked of this library where a peer is more accurate than it is at all of the above.
FINER = [5e-6, 2e-6, 1e-6, 5e-7, 2e-7, 1e-7, 5e-8, 2e-8, 1e-8]

#: Seconds after which a setting is not repeated: 31 cases and 20 settings are a lot.
BUDGET = 0.6
REPEATS = 3

EQUAL = ["ratio at equal accuracy", "faster here", "smallest ratio at"]


def label_of(package, accuracy):
    """The first accuracy has the name of the package alone."""
    return package if accuracy == ACCURACIES[package][0] else f"{package} @ {accuracy:g}"


def measure(bench):
    return {"cases": [_row(bench, case) for case in bench.few(reference())]}


def _row(bench, case):
    """All settings once, finer ones of ours until each peer is matched, then all in turns."""

    def question(package, accuracy):
        extra = {} if accuracy is None else {"accuracy": accuracy}
        return Question(package, "epsilon", {"segments": case.segments, "delta": DELTA, **extra})

    asked = {
        label_of(package, accuracy): question(package, accuracy)
        for package, accuracies in ACCURACIES.items()
        for accuracy in accuracies
    }
    answers = bench.turns(asked, repeats=1)
    row = {"name": case.name, "quantity": "epsilon", "true": case.true["epsilon"]}
    row["answers"] = answers
    for accuracy in FINER:
        if all(match(row, label) for label in peers_right(row)):
            break
        label = label_of(OURS, accuracy)
        asked[label] = question(OURS, accuracy)
        answers |= bench.turns({label: asked[label]}, repeats=1)
    more = min(REPEATS, bench.repeats) - 1
    row["answers"] = bench.turns(asked, repeats=more, budget=BUDGET, before=answers)
    say("epsilon", case.name, {name: row["answers"][name] for name in PACKAGES})
    return row


# --- report -------------------------------------------------------------------------------------


def render(result):
    rows = result["cases"]
    lines = [
        _line(rows, package, accuracy)
        for package, accuracies in ACCURACIES.items()
        for accuracy in accuracies
    ]
    finer = [label_of(OURS, accuracy) for accuracy in FINER]
    needed = sum(any(label in row["answers"] for label in finer) for row in rows)
    return "\n\n".join(
        [
            "Each package at its default, shown first, and at other accuracies: this library's "
            "tolerance, the lattice step of dp-accounting and PLD_accounting, eps_error of the PRV "
            "accountants. Time and error are geometric means over the cases that it got right. At "
            "equal accuracy: its time over that of this library at the coarsest tolerance whose "
            "error on the same case is no larger, as geometric mean and range over the cases. "
            f"In {needed} of {len(rows)} cases that took a tolerance below 1e-5.",
            table([*("package", "accuracy", "time", "error", "wrong", "failed"), *EQUAL], lines),
            "![Time against error of epsilon, per package](plots/epsilon.svg)",
            _lost(rows),
            "Every package at its default, as (sigma, rate, steps). Here the ratio is one of times "
            "alone, and the errors say what they bought. prv-accountant has no default and is "
            "given the 0.1 that its documentation calls typical. gdpnum 0.1.2 and riskcal ask "
            "dp-accounting. PLD_accounting is made for random allocation; Poisson sampling is what "
            "can be compared. It gives each run a lattice step of its own, and dp-accounting does "
            "not compose those.",
            comparison(rows, PEERS),
        ]
    )


def _line(rows, package, accuracy):
    label = label_of(package, accuracy)
    counts, mean = overall(rows, label), mean_point(rows, label)
    cells = [package, "" if accuracy is None else f"{accuracy:g}"]
    cells += [time(mean[1]), f"{100 * mean[0]:.2g} %"] if mean else ["", ""]
    cells += [str(counts["wrong"]), str(counts["failed"])]
    equal = at_equal_accuracy(rows, label) if package != OURS else []
    if not equal:
        return [*cells, "", "", ""]
    values = [value for value, _ in equal]
    faster = sum(value > 1.0 for value in values)
    return [*cells, ratio_cell(values), f"{faster} of {len(values)}", min(equal)[1]]


def _lost(rows):
    """Where a peer is as fast at equal accuracy, or more accurate than all of ours."""
    found = [
        [
            package,
            "" if accuracy is None else f"{accuracy:g}",
            name,
            f"slower: {factor(value)}" if value else "no tolerance of ours is as accurate",
        ]
        for package in PEERS
        for accuracy in ACCURACIES[package]
        for value, name in at_equal_accuracy(rows, label_of(package, accuracy))
        if value <= 1.0
    ]
    if not found:
        return "No peer is as fast at equal accuracy on any of the cases."
    listed = table(["package", "accuracy", "case", "ratio at equal accuracy"], found)
    return f"Where a peer is as fast or faster at equal accuracy:\n\n{listed}"


def summary(result):
    rows = result["cases"]
    equal = {"work": f"epsilon at equal accuracy, {len(rows)} runs", OURS: ""}
    equal |= {package: ratio_cell(_of_package(rows, package)) for package in PEERS}
    return [summary_line(f"epsilon by default, {len(rows)} runs", rows, PEERS), equal]


def _of_package(rows, package):
    labels = [label_of(package, accuracy) for accuracy in ACCURACIES[package]]
    return [value for label in labels for value, _ in at_equal_accuracy(rows, label)]


def claims(result):
    found = [value for package in PEERS for value in _of_package(result["cases"], package)]
    won = sum(value > 1.0 for value in found)
    figure = f"in {won} of {len(found)} comparisons; the smallest ratio is {factor(min(found))}"
    wanted = "epsilon: faster than every peer at equal or better accuracy"
    return [(wanted, figure, won == len(found))]


def plots(result):
    """Time against error, a line per package."""
    rows = result["cases"]
    series = {}
    for label in rows[0]["answers"]:
        # A finer tolerance that only some cases needed has no mean to compare.
        if all(label in row["answers"] for row in rows) and (mean := mean_point(rows, label)):
            series.setdefault(package_of(label), []).append(mean)
    panel = {"x": "relative error of epsilon", "y": "seconds", "scale": "log"}
    return {"epsilon": [panel | {"series": {name: sorted(one) for name, one in series.items()}}]}
