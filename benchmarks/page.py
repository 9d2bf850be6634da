"""RESULTS.md: a summary, what must show, and the sections one after the other."""

import traceback
from pathlib import Path
from typing import Any

from packages import OURS, PACKAGES
from plots import draw
from report import table
from sections import SECTIONS

Results = dict[str, Any]

_READING = (
    "A ratio is a package's time over that of this library, repeat by repeat: the median, and in "
    "brackets the range over the repeats, or over the cases where it is a geometric mean of them. "
    'Where it says "slower", this library is the slower one. WRONG is an answer that claims more '
    "privacy than there is, by the share shown; wrong and failed count such answers, and those "
    "that were none. An empty cell: the package has no such thing. Times of this library are "
    "medians, or geometric means of medians over the cases."
)


def write(results: Results, folder: Path) -> None:
    """RESULTS.md and its pictures."""
    for name, result in _measured(results).items():
        for picture, panels in _of(name, "plots", result, {}).items():
            draw(folder / "plots" / f"{picture}.svg", panels)
    (folder / "RESULTS.md").write_text(markdown(results), encoding="utf-8")


def markdown(results: Results) -> str:
    """The whole report."""
    parts = ["# Benchmark results", _setting(results), "## Summary", _READING, _summary(results)]
    claims = _claims(results)
    if claims:
        parts += ["What it must show:", claims]
    for name, result in _measured(results).items():
        text = _of(name, "render", result, "This section could not be shown; see results.json.")
        parts += [f"## {SECTIONS[name].TITLE}", text]
    return "\n\n".join(parts) + "\n"


def _measured(results: Results) -> dict[str, Any]:
    """The sections that are there, in the order of the report."""
    return {name: results["sections"][name] for name in SECTIONS if name in results["sections"]}


def _of(name: str, what: str, result: Any, otherwise: Any) -> Any:
    """What a section says of its result, if it has anything to say."""
    try:
        return getattr(SECTIONS[name], what, lambda _: otherwise)(result)
    except Exception:  # results that one section does not expect must not hide those of the others
        traceback.print_exc()
        return otherwise


def _setting(results: Results) -> str:
    dates = sorted({result["date"] for result in results["sections"].values()})
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    lines = [f"{when}, {results['machine']}; at most {results['repeats']} interleaved repeats.", ""]
    if results["quick"]:
        lines[:0] = ["**A quick run over few cases, which shows only that everything works.**", ""]
    for name, versions in results["versions"].items():
        listed = ", ".join(f"{key} {value}" for key, value in versions.items())
        lines.append(f"- {name}: {listed}")
    return "\n".join(lines)


def _summary(results: Results) -> str:
    lines = [
        line
        for name, result in _measured(results).items()
        for line in _of(name, "summary", result, [])
    ]
    header = ["work", OURS, *(f"ratio to {name}" for name in PACKAGES if name != OURS)]
    return table(header, [[line["work"], *(line.get(n, "") for n in PACKAGES)] for line in lines])


def _claims(results: Results) -> str:
    found = [
        claim
        for name, result in _measured(results).items()
        for claim in _of(name, "claims", result, [])
    ]
    rows = [[claim, figure, "yes" if holds else "NO"] for claim, figure, holds in found]
    return table(["", "measured", "shown"], rows) if rows else ""
