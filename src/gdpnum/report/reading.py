"""What is read off at one FPR, and the control that moves it."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from gdpnum.report.markup import element, escaped
from gdpnum.rounding import rounded_up
from gdpnum.statements import TPRRow
from gdpnum.statements.numbers import fpr_shown, percent

if TYPE_CHECKING:
    from gdpnum.statements import Statement

__all__ = ["Readings", "control", "rate_bound", "rate_shown"]

# The control goes from here to there, further if the statement's own table does; never to 0, which
# logarithmic scales have not.
_LOWEST_FPR, _HIGHEST_FPR = 1e-10, 0.99

# Where the control starts; the headline sentence speaks of it.
_START_FPR = 0.1

# Priors for which the share of the accused is told: even odds, and a needle in a haystack.
_HALF, _HUNDREDTH = Fraction(1, 2), Fraction(1, 100)

_SMALLEST_IN_WORDS = Decimal("1e-14")
_NAMES = {12: "trillion", 9: "billion", 6: "million"}

_MEMBERS = """\
<p>An attacker who wrongly accuses {fpr} of the people who are not in the data finds out at most
{tpr} of those who are.</p>
<p>Say each record is one person, and half of the people considered are in the data. Of 100 people
that this attacker accuses, {half} are then in the data, on average; with nothing released it would
be 50. If only 1 in 100 of those considered is in the data, {hundredth} are; with nothing released
it would be 1.</p>
<p>Other attacks are bounded likewise: an attempt to single out the record, guess an attribute or
reconstruct it that would succeed in {fpr} of cases without the record succeeds in at most {tpr}
with it.</p>"""

_TWO_CASES = """\
<p>An attacker who takes the first of {cases} for the second in {fpr} of cases recognises the second
in at most {tpr}.</p>
<p>Say both are equally likely. Of 100 times that this attacker names the second, {half} are then
right, on average; with nothing released it would be 50. If the second is the case only 1 time in
100, {hundredth} are; with nothing released it would be 1.</p>"""

_CASES = {
    "replace": "two values of one record",
    "zero_out": "one record blanked out or not",
    None: "two neighbouring datasets",
}


def rate_shown(rounded: str) -> str:
    """A rate, rounded by the caller, as per cent or, when small, as so many in a round number.

    >>> rate_shown("0.25"), rate_shown("0.00012"), rate_shown("8.3e-7")
    ('25 %', '12 in 100,000', '83 in 100 million')
    """
    rate = Decimal(rounded).normalize()
    if rate == 0 or rate >= Decimal("0.001"):
        return f"{(100 * rate).normalize():f} %"
    if rate < _SMALLEST_IN_WORDS:
        return rounded
    _, digits, exponent = rate.as_tuple()
    zeros = -int(exponent)
    of = next(
        (f"{10 ** (zeros - known)} {name}" for known, name in _NAMES.items() if zeros >= known),
        f"{10**zeros:,}",
    )
    return f"{''.join(map(str, digits))} in {of}"


def rate_bound(rate: float) -> str:
    """An upper bound on a rate in the same words."""
    return percent(rate) if rate >= 0.001 else rate_shown(rounded_up(rate, digits=2))


class Readings(NamedTuple):
    """The points that the control visits: some of the statement's, one after another."""

    rows: list[TPRRow]
    first: int
    """The place of the first row among the statement's points."""
    start: int
    """The row shown first."""

    @staticmethod
    def of(statement: Statement) -> Readings:
        stated = [row.fpr for row in statement.tpr if row.fpr > 0.0]
        low, high = min([_LOWEST_FPR, *stated]), max([_HIGHEST_FPR, *stated])
        points = list(map(TPRRow, *statement.curve_points))
        first = next(number for number, row in enumerate(points) if row.fpr >= low)
        rows = [row for row in points if low <= row.fpr <= high]
        start = next(number for number, row in enumerate(rows) if row.fpr >= _START_FPR)
        return Readings(rows, first, start)

    def document(self, positions: list[Any]) -> dict[str, Any]:
        """For the script: the texts to show at each point, and where its marks go."""
        return {
            "first": self.first,
            "texts": [_texts(row) for row in self.rows],
            "positions": positions,
        }


def control(statement: Statement, readings: Readings) -> str:
    """The control, hidden until the script runs, and the reading where it starts."""
    shown = readings.rows[readings.start]
    texts = _texts(shown)
    filled = {
        key: element("span", escaped(text), class_="value", data_shows=key)
        for key, text in texts.items()
    }
    prose = _MEMBERS if statement.neighbouring == "add_remove" else _TWO_CASES
    cases = _CASES.get(statement.neighbouring, "")
    exact = {"tpr": shown.tpr, "tpr_gdp": shown.tpr_gdp}
    run, mu = (
        element("data", escaped(texts[key]), data_shows=key, value=_exact(value))
        for key, value in exact.items()
    )
    fpr = element("data", escaped(texts["fpr"]), data_shows="fpr", value=_exact(shown.fpr))
    by_mu = (
        "by mu, which is infinite, at most" if math.isinf(statement.mu) else "by mu alone, at most"
    )
    lowest, highest = (escaped(_texts(readings.rows[end])["fpr"]) for end in (0, -1))
    return f"""\
<div class="control" id="control" hidden>
<label for="fpr">Move the false positive rate (FPR)</label>
<div class="slider">
<button type="button" id="lower" aria-label="Lower the false positive rate">&minus;</button>
<input type="range" id="fpr" min="0" max="{len(readings.rows) - 1}" step="1" \
value="{readings.start}" autocomplete="off" aria-valuetext="{escaped(texts["spoken"])}">
<button type="button" id="higher" aria-label="Raise the false positive rate">+</button>
</div>
<span class="unseen" role="status" id="spoken"></span>
<div class="ends" aria-hidden="true"><span>{lowest}</span><span>{highest}</span></div>
</div>
<dl class="reading">
<div><dt>False positive rate</dt><dd>{fpr}</dd></div>
<div><dt><i class="sample run"></i>True positive rate by the curve, at most</dt><dd>{run}</dd></div>
<div><dt><i class="sample mu"></i>True positive rate {by_mu}</dt><dd>{mu}</dd></div>
</dl>
<div class="prose">
{prose.format(cases=cases, **filled)}
</div>"""


def _texts(row: TPRRow) -> dict[str, str]:
    fpr, tpr, by_mu = rate_shown(fpr_shown(row.fpr)), rate_bound(row.tpr), rate_bound(row.tpr_gdp)
    return {
        "fpr": fpr,
        "tpr": tpr,
        "tpr_gdp": by_mu,
        "half": _of_hundred(row, _HALF),
        "hundredth": _of_hundred(row, _HUNDREDTH),
        "spoken": f"{fpr}; true positive rate at most {tpr} by the curve, {by_mu} by mu",
    }


def _of_hundred(row: TPRRow, prior: Fraction) -> str:
    """How many of 100 accused are members at most: prior TPR / (prior TPR + (1 - prior) FPR)."""
    # At the FPR as it is shown, which may be rounded down: there the share is larger. From the
    # decimal that reads back as the float, as elsewhere: else perfect privacy gives 51 of 100.
    found, wrong = prior * Fraction(repr(row.tpr)), (1 - prior) * Fraction(fpr_shown(row.fpr))
    most = math.ceil(100 * found / (found + wrong))
    return "possibly all 100" if most >= 100 else f"at most {most}"


def _exact(value: float) -> str:
    return repr(value)
