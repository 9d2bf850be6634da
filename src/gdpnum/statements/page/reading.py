"""What is read off at one FPR, and the control that moves it."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from gdpnum.blocks.html import element, escaped
from gdpnum.rounding import fpr_shown, one_in, upper
from gdpnum.statements.record import Record
from gdpnum.statements.rows import TPRRow

# The control goes from here to there, further if the statement's own table does; never to 0, which
# logarithmic scales have not.
_LOWEST_FPR, _HIGHEST_FPR = 1e-10, 0.99

# Where the control starts; the headline sentence speaks of it.
_START_FPR = 0.1

# Priors for which the share of the accused is told: even odds, and a needle in a haystack.
_HALF, _HUNDREDTH = Fraction(1, 2), Fraction(1, 100)

_ACCUSED = """\
<p>An attacker who wrongly accuses {fpr_words} of the records that were not used finds at most
{tpr_words} of those that were. If half of the records considered were used, at most {half} of those
accused were, on average, instead of 50&nbsp;% with nothing released; if 1 in 100 was, at most
{hundredth} instead of 1&nbsp;%.</p>"""

_TWO_CASES = """\
<p>An attacker who takes the first case for the second in {fpr_words} of trials recognises the
second in at most {tpr_words}. If both are equally likely, whoever names the second is right in at
most {half} of trials instead of 50&nbsp;% with nothing released; if it is the case in 1 trial of
100, in at most {hundredth} instead of 1&nbsp;%.</p>"""


class Readings(NamedTuple):
    """The points that the control visits: some of the statement's, one after another."""

    rows: list[TPRRow]
    first: int
    """The place of the first row among the statement's points."""
    start: int
    """The row shown first."""

    @staticmethod
    def of(statement: Record) -> Readings:
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


def control(statement: Record, readings: Readings) -> str:
    """The control, hidden until the script runs, and the reading where it starts."""
    shown = readings.rows[readings.start]
    texts = _texts(shown)
    filled = {
        key: element("span", escaped(text), class_="value", data_shows=key)
        for key, text in texts.items()
    }
    accused = statement.neighbouring in ("add_remove", "zero_out")
    prose = _ACCUSED if accused else _TWO_CASES
    run, mu, fpr = (
        element("data", escaped(texts[key]), data_shows=key, value=repr(value))
        + f' <small data-shows="{key}_words">{escaped(texts[f"{key}_words"])}</small>'
        for key, value in {"tpr": shown.tpr, "tpr_gdp": shown.tpr_gdp, "fpr": shown.fpr}.items()
    )
    by_mu = (
        "by mu, which is infinite, at most" if math.isinf(statement.mu) else "by mu alone, at most"
    )
    lowest, highest = (escaped(_texts(readings.rows[end])["fpr_words"]) for end in (0, -1))
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
{prose.format(**filled)}
</div>"""


def _texts(row: TPRRow) -> dict[str, str]:
    fpr, tpr, by_mu = one_in(row.fpr, condition=True), one_in(row.tpr), one_in(row.tpr_gdp)
    return {
        "fpr": fpr_shown(row.fpr),
        "tpr": upper(row.tpr, digits=3),
        "tpr_gdp": upper(row.tpr_gdp, digits=3),
        "fpr_words": fpr,
        "tpr_words": tpr,
        "tpr_gdp_words": by_mu,
        "half": _share(row, _HALF),
        "hundredth": _share(row, _HUNDREDTH),
        "spoken": f"{fpr}; true positive rate at most {tpr} by the curve, {by_mu} by mu",
    }


def _share(row: TPRRow, prior: Fraction) -> str:
    """The share of the accused who are members: prior TPR / (prior TPR + (1 - prior) FPR)."""
    # At the FPR as it is shown, which may be rounded down: there the share is larger. From the
    # decimal that reads back as the float, as elsewhere: else perfect privacy gives 50.1 %.
    found, wrong = prior * Fraction(repr(row.tpr)), (1 - prior) * Fraction(fpr_shown(row.fpr))
    share = 100 * found / (found + wrong)
    rounded = Context(prec=3, rounding=ROUND_CEILING).divide(
        Decimal(share.numerator), Decimal(share.denominator)
    )
    return f"{rounded.normalize():f} %"
