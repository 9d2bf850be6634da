"""Mu and regret of the paper's setting, and mu of the 31 tabulated runs one by one."""

from statistics import median

from cases import reference
from packages import OURS
from report import (
    comparison,
    duration,
    geometric_mean,
    number,
    overall,
    ratio,
    ratios,
    table,
)
from report import (
    summary as summary_line,
)

TITLE = "mu and regret at slack 1e-10"
PUBLISHED = "gdpnum 0.1.2"


def measure(bench):
    return {
        "cases": [bench.row(case, "mu", [OURS, PUBLISHED]) for case in bench.few(reference())],
        "regret": reference()[0].true["regret"],
    }


def render(result):
    paper = result["cases"][0]
    rows = [
        [
            label,
            duration(one),
            ratio(one, paper["answers"][OURS]) if label != OURS else "",
            number(one.get("mu")),
            number(one.get("regret")),
        ]
        for label, one in paper["answers"].items()
    ]
    rows.append(["true", "", "", number(paper["true"][0]), number(result["regret"][0])])
    return "\n\n".join(
        [
            f"The paper's setting, {paper['name']}:",
            table(["", "time", "ratio", "mu", "regret"], rows),
            "A regret belongs to the mu beside it: a larger mu has a larger one.",
            "The tabulated runs, as (sigma, rate, steps):",
            comparison(result["cases"], [PUBLISHED]),
            "gdpnum 0.1.2 promises something else than a slack, a curve that is valid where alpha "
            "and beta are at least 1e-10; so a fraction of a percent may be that convention and no "
            "error. riskcal and the others have no mu.",
        ]
    )


def summary(result):
    rows = result["cases"]
    return [
        summary_line("mu and regret, the paper's setting", rows[:1], [PUBLISHED]),
        summary_line(f"mu, {len(rows)} tabulated runs", rows, [PUBLISHED]),
    ]


def claims(result):
    rows = result["cases"]
    ours, theirs = overall(rows, OURS), overall(rows, PUBLISHED)
    paper = median(ratios(rows[0]["answers"][PUBLISHED], rows[0]["answers"][OURS]))
    mean = geometric_mean(theirs["ratios"])
    honest = [one["asked"] - one["wrong"] - one["failed"] for one in (ours, theirs)]
    return [
        ("paper's setting: 20 times gdpnum 0.1.2", f"{paper:.1f} times", paper >= 20.0),
        ("tabulated runs: 20 times gdpnum 0.1.2", f"{mean:.1f} times", mean >= 20.0),
        (
            "mu honest on all of them",
            f"{honest[0]} of {len(rows)}; gdpnum 0.1.2 on {honest[1]}",
            honest[0] == len(rows),
        ),
    ]
