"""The TopDown algorithm of the 2020 US census: discrete Gaussians at eight levels."""

from cases import topdown
from packages import OURS
from report import above, duration, number, ratio, table
from report import summary as summary_line

TITLE = "TopDown"
ASKED = {"mu": "gdpnum 0.1.2", "tpr": "riskcal", "epsilon": "dp-accounting"}


def measure(bench):
    case = bench.bracketed(topdown())
    return {"cases": [bench.row(case, quantity, [OURS, peer]) for quantity, peer in ASKED.items()]}


def render(result):
    lines = []
    for row in result["cases"]:
        for label, one in row["answers"].items():
            compared = ratio(one, row["answers"][OURS]) if label != OURS else ""
            value = number(one.get(row["quantity"]))
            cells = [row["quantity"], label, duration(one), compared, value, above(row, label)]
            lines.append(cells)
    return "\n\n".join(
        [
            "Ten discrete Gaussian queries a level, as the census released them; the peers compose "
            "dp-accounting's distribution of the discrete Gaussian. Opacus and prv-accountant have "
            "no such mechanism.",
            table(["", "package", "time", "ratio", "value", "error"], lines),
        ]
    )


def summary(result):
    line = {"work": "TopDown", OURS: ""}
    times = []
    for row in result["cases"]:
        times.append(f"{duration(row['answers'][OURS])} ({row['quantity']})")
        peer = ASKED[row["quantity"]]
        line[peer] = summary_line("", [row], [peer])[peer]
    return [{**line, OURS: " / ".join(times)}]
