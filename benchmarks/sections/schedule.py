"""Noise schedules of 60 and of 1,000 distinct segments."""

from cases import schedule
from packages import OURS
from report import above, duration, ratio, table
from report import summary as summary_line

TITLE = "Noise schedules"

#: Each package is asked for what it has, and this library for the same.
ASKED = {
    "mu": [OURS, "gdpnum 0.1.2"],
    "tpr": [OURS, "riskcal"],
    "epsilon": [
        OURS,
        "dp-accounting",
        "prv-accountant",
        "PLD_accounting",
        "Opacus PRV",
        "Opacus RDP",
    ],
}

#: Segments, the seconds that each package has for them, and the tolerance of their true values.
SIZES = [(60, 60.0, 1e-5), (1000, 30.0, 1e-4)]


def measure(bench):
    rows = []
    for count, limit, tolerance in [(6, 20.0, 1e-5)] if bench.quick else SIZES:
        case = bench.bracketed(schedule(count), tolerance=tolerance)
        rows += [
            bench.row(case, quantity, packages, limit=limit) for quantity, packages in ASKED.items()
        ]
    return {"cases": rows}


def render(result):
    lines = []
    for row in result["cases"]:
        for label, one in row["answers"].items():
            compared = ratio(one, row["answers"][OURS]) if label != OURS else ""
            name = f"{row['name']}, {row['quantity']}" if label == OURS else ""
            lines.append([name, label, duration(one), compared, above(row, label)])
    return "\n\n".join(
        [
            "Noise multiplier from 0.8 to 2, rate 0.01, one to twenty steps at each level. Judged "
            "by brackets of this library at tolerance 1e-5, or 1e-4 for a thousand segments; from "
            "below they are attacks that exist. "
            "PLD_accounting gives each segment a lattice step of its own, and dp-accounting does "
            "not compose those.",
            table(["", "package", "time", "ratio", "error"], lines),
        ]
    )


def summary(result):
    lines = []
    for name in dict.fromkeys(row["name"] for row in result["cases"]):
        rows = [row for row in result["cases"] if row["name"] == name]
        line = {"work": f"schedule, {name}", OURS: " / ".join(_times(rows))}
        for row in rows:
            for label in row["answers"]:
                if label != OURS:
                    line[label] = summary_line("", [row], [label])[label]
        lines.append(line)
    return lines


def _times(rows):
    return [f"{duration(row['answers'][OURS])} ({row['quantity']})" for row in rows]
