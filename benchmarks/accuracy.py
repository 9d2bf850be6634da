"""Time at equal accuracy: a peer's setting beside the coarsest of ours that is no less accurate.

A label is a package, or "package @ accuracy" for a setting that is not its default.
"""

from collections.abc import Iterable, Sequence
from statistics import median

from packages import OURS
from report import Row, excess, factor, geometric_mean, is_wrong, ratios, seconds_of


def package_of(label: str) -> str:
    return label.split(" @ ", maxsplit=1)[0]


def is_right(row: Row, label: str) -> bool:
    """Whether there is an answer, and one that holds."""
    return row["quantity"] in row["answers"].get(label, {}) and not is_wrong(row, label)


def peers_right(row: Row) -> list[str]:
    """The peers' settings that gave a right answer."""
    return [one for one in row["answers"] if package_of(one) != OURS and is_right(row, one)]


def error(row: Row, label: str) -> float:
    """The relative error; what is below the error of the true value counts as that."""
    low, high = row["true"]
    return max(excess(row["answers"][label][row["quantity"]], row["true"]), (high - low) / low)


def match(row: Row, label: str) -> str | None:
    """The coarsest of our settings that is at least as accurate as a peer's, if any."""
    ours = [one for one in row["answers"] if package_of(one) == OURS and is_right(row, one)]
    enough = [one for one in ours if error(row, one) <= error(row, label)]
    return max(enough, key=lambda one: error(row, one), default=None)


def at_equal_accuracy(rows: Iterable[Row], label: str) -> list[tuple[float, str]]:
    """Case by case the ratio of times and the name; a ratio of 0 where nothing of ours matches."""
    found = []
    for row in rows:
        if is_right(row, label):
            ours = match(row, label)
            pairs = ratios(row["answers"][label], row["answers"][ours]) if ours else []
            found.append((median(pairs) if pairs else 0.0, row["name"]))
    return found


def ratio_cell(values: Sequence[float]) -> str:
    """The geometric mean of ratios with their range, and how often this library is slower."""
    if not values:
        return ""
    matched = [value for value in values if value > 0.0]
    parts = [f"{factor(geometric_mean(matched))} ({factor(min(matched))}-{factor(max(matched))})"]
    slower, without = sum(value < 1.0 for value in matched), len(values) - len(matched)
    parts += [f"slower in {slower}"] if slower else []
    parts += [f"less accurate in {without}"] if without else []
    return ", ".join(parts)


def mean_point(rows: Iterable[Row], label: str) -> tuple[float, float] | None:
    """Mean error and mean time of a setting over the cases that it got right."""
    kept = [row for row in rows if is_right(row, label)]
    if not kept:
        return None
    seconds = geometric_mean(median(seconds_of(row["answers"][label])) for row in kept)
    return geometric_mean(error(row, label) for row in kept), seconds
