"""Numbers and tables as Markdown: what the sections share."""

from collections.abc import Iterable, Mapping, Sequence
from math import exp, log
from statistics import median
from typing import Any

from packages import OURS

Answer = dict[str, Any]
Row = dict[str, Any]


def geometric_mean(values: Iterable[float]) -> float:
    logs = [log(value) for value in values]
    return exp(sum(logs) / len(logs)) if logs else float("nan")


def seconds_of(answer: Answer) -> list[float]:
    """Seconds repeat by repeat; empty where it failed."""
    if "error" in answer:
        return []
    found = answer["seconds"]
    return found if isinstance(found, list) else [found]


def ratios(theirs: Answer, ours: Answer) -> list[float]:
    """Their seconds over ours, repeat by repeat; empty where either failed."""
    pairs = zip(seconds_of(theirs), seconds_of(ours), strict=False)
    return [their / our for their, our in pairs]


def excess(value: float, true: Sequence[float]) -> float:
    """How far a value lies above what is proven from below, relative to that; below 0: wrong."""
    return value / true[0] - 1.0


def is_wrong(row: Row, label: str) -> bool:
    """Whether an answer claims more privacy than there is."""
    value = row["answers"].get(label, {}).get(row["quantity"])
    return value is not None and excess(value, row["true"]) < 0.0


# --- cells --------------------------------------------------------------------------------------


def time(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{1e6 * seconds:.3g} us"
    return f"{1e3 * seconds:.3g} ms" if seconds < 1.0 else f"{seconds:.3g} s"


def duration(answer: Answer) -> str:
    """The median time, or why there is none."""
    if "error" in answer:
        return failure(answer)
    return time(median(seconds_of(answer)))


def failure(answer: Answer) -> str:
    if "limit" in answer:
        return f"over {answer['limit']:g} s"
    return answer["error"].split(":")[0][:40]


def factor(value: float) -> str:
    digits = 0 if value >= 99.5 else 1 if value >= 0.995 else 2
    return f"{value:.{digits}f}"


def spread(values: Sequence[float]) -> str:
    """Median and range; the first word says where this library is the slower one."""
    if not values:
        return ""
    middle = median(values)
    word = "slower: " if middle < 1.0 else ""
    return f"{word}{factor(middle)} ({factor(min(values))}-{factor(max(values))})"


def ratio(theirs: Answer | None, ours: Answer) -> str:
    """The ratio of times with its range; after a stop, what it is at least."""
    if theirs is None:
        return ""
    if "limit" in theirs and seconds_of(ours):
        least = theirs["limit"] / median(seconds_of(ours))
        return f"above {factor(least)} (stopped after {theirs['limit']:g} s)"
    return failure(theirs) if "error" in theirs else spread(ratios(theirs, ours))


def above(row: Row, label: str) -> str:
    """How far the answer is above the true value, or WRONG and by how much it is below."""
    value = row["answers"].get(label, {}).get(row["quantity"])
    if value is None:
        return ""
    far = 100.0 * excess(value, row["true"])
    share = f"{far:+.0f} %" if abs(far) >= 10.0 else f"{far:+.2g} %"
    return f"WRONG {share}" if far < 0.0 else share


def number(value: float | None) -> str:
    return "" if value is None else f"{value:.5g}"


# --- tables -------------------------------------------------------------------------------------


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def comparison(rows: Sequence[Row], peers: Sequence[str]) -> str:
    """A line per case: time and error of this library, ratio and error of each peer."""
    header = ["case", "true", OURS, "error"]
    for peer in peers:
        header += [f"ratio to {peer}", "error"]
    lines = []
    for row in rows:
        ours = row["answers"][OURS]
        cells = [row["name"], number(row["true"][0]), duration(ours), above(row, OURS)]
        for peer in peers:
            cells += [ratio(row["answers"].get(peer), ours), above(row, peer)]
        lines.append(cells)
    return table(header, lines)


def overall(rows: Sequence[Row], label: str) -> dict[str, Any]:
    """Wrong and failed answers of a package, and the medians of its ratios case by case."""
    asked = [row for row in rows if label in row["answers"]]
    found = [ratios(row["answers"][label], row["answers"][OURS]) for row in asked]
    return {
        "asked": len(asked),
        "wrong": sum(is_wrong(row, label) for row in asked),
        "failed": sum("error" in row["answers"][label] for row in asked),
        "ratios": [median(one) for one in found if one],
    }


def verdict(rows: Sequence[Row], label: str) -> str:
    """The geometric mean of the ratios with the range over the cases, and what went wrong."""
    found = overall(rows, label)
    if not found["asked"]:
        return ""
    if len(rows) == 1 and label != OURS:
        wrong = ", wrong" if found["wrong"] else ""
        return ratio(rows[0]["answers"][label], rows[0]["answers"][OURS]) + wrong
    parts = []
    if label == OURS:
        parts.append(time(_mean_time(rows)))
    elif found["ratios"]:
        values = found["ratios"]
        mean = geometric_mean(values)
        word = "slower: " if mean < 1.0 else ""
        parts.append(f"{word}{factor(mean)} ({factor(min(values))}-{factor(max(values))})")
    parts += [
        f"{found[what]} {what}" for what in ("wrong", "failed") if found[what] or label == OURS
    ]
    return ", ".join(parts)


def _mean_time(rows: Sequence[Row]) -> float:
    found = [seconds_of(row["answers"][OURS]) for row in rows]
    return geometric_mean(median(one) for one in found if one)


def summary(work: str, rows: Sequence[Row], peers: Iterable[str]) -> dict[str, str]:
    """One line of the summary table."""
    return {"work": work, **{label: verdict(rows, label) for label in (OURS, *peers)}}


def peers_of(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """The peers that were asked, in the order in which they were."""
    return list(dict.fromkeys(name for row in rows for name in row["answers"] if name != OURS))
