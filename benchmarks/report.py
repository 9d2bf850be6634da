"""Tables of a finished run, as Markdown."""

from math import exp, log
from statistics import median
from typing import Any


def ratios(row: dict[str, Any], peer: str, ours: str = "ours") -> list[float]:
    """Peer's seconds over ours, repeat by repeat; empty where either failed."""
    pairs = zip(row["answers"].get(peer, []), row["answers"].get(ours, []), strict=False)
    return [
        theirs["seconds"] / mine["seconds"]
        for theirs, mine in pairs
        if "error" not in theirs and "error" not in mine
    ]


def geometric_mean(values: list[float]) -> float:
    return exp(sum(map(log, values)) / len(values))


def markdown(results: dict[str, Any]) -> str:
    """The whole report."""
    parts = [
        "# Benchmark results",
        _setting(results),
        "## DP-SGD, case by case",
        "Seconds are medians; a ratio is a package's seconds over ours, with its range over the "
        "repeats. WRONG: mu below the true mu at slack 1e-10, by the share shown.",
        _cases(results),
        _means(results),
    ]
    if results["singles"]:
        parts += ["## Large settings, each in a fresh process", _singles(results)]
    if results["imports"]:
        parts += ["## Import time", _imports(results)]
    return "\n\n".join(parts) + "\n"


def _setting(results: dict[str, Any]) -> str:
    lines = [f"{results['date']}, {results['machine']}; {results['repeats']} interleaved repeats."]
    for name, versions in results["versions"].items():
        lines.append(f"- {name}: " + ", ".join(f"{k} {v}" for k, v in versions.items()))
    return "\n".join(lines)


def _cases(results: dict[str, Any]) -> str:
    peers = [name for name in results["peers"] if name != "ours"]
    header = ["sigma, rate, steps", "true mu"]
    for name in results["peers"]:
        header += [f"{name}: s", "mu"] if name != "riskcal" else [f"{name}: s"]
    header += [f"ratio to {name}" for name in peers] if "ours" in results["peers"] else []
    rows = [_case_row(row, results["peers"], peers) for row in results["cases"]]
    return _table(header, rows)


def _case_row(row: dict[str, Any], names: list[str], peers: list[str]) -> list[str]:
    cells = [row["name"], _number(row["true_mu"])]
    for name in names:
        answers = row["answers"][name]
        failed = next((a["error"] for a in answers if "error" in a), None)
        seconds = [a["seconds"] for a in answers if "error" not in a]
        cells.append(failed[:40] if failed else f"{median(seconds):.4f}")
        if name != "riskcal":
            mu = answers[-1].get("mu")
            cells.append(_number(mu) + _verdict(row, name, mu))
    if "ours" in names:
        for name in peers:
            found = ratios(row, name)
            spread = f"{median(found):.1f} ({min(found):.1f}-{max(found):.1f})" if found else ""
            cells.append(spread)
    return cells


def _verdict(row: dict[str, Any], name: str, mu: float | None) -> str:
    """WRONG, and by how much of the true mu."""
    if mu is None or not row["wrong"][name]:
        return ""
    return f" WRONG by {1 - mu / row['true_mu']:.2%}"


def _means(results: dict[str, Any]) -> str:
    lines = []
    for name in results["peers"]:
        wrong = sum(row["wrong"][name] for row in results["cases"])
        failed = sum(any("error" in a for a in row["answers"][name]) for row in results["cases"])
        line = f"- {name}: {wrong} wrong and {failed} failed of {len(results['cases'])}"
        medians = [median(found) for row in results["cases"] if (found := ratios(row, name))]
        if name != "ours" and medians:
            line += f"; geometric mean of the ratios {geometric_mean(medians):.1f}"
        lines.append(line)
    return "\n".join(lines)


def _singles(results: dict[str, Any]) -> str:
    rows = []
    for row in results["singles"]:
        if "error" in row:
            rows.append([row["name"], row["error"], "", ""])
        else:
            rows.append(
                [row["name"], f"{row['seconds']:.2f}", f"{row['peak_mb']:.0f}", _number(row["mu"])]
            )
    return _table(["setting", "s", "peak MB", "mu"], rows)


def _imports(results: dict[str, Any]) -> str:
    rows = [[f"`{name}`", f"{median(s) * 1000:.0f}"] for name, s in results["imports"].items()]
    return _table(["statement", "ms, whole process"], rows)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.5g}"


def _table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
