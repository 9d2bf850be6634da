"""The parts of the page that are words and tables."""

from __future__ import annotations

import math
import re
from html import escape
from typing import TYPE_CHECKING

from gdpnum.report.markup import element, escaped, table
from gdpnum.report.reading import rate_shown
from gdpnum.statements import words
from gdpnum.statements.citation import BIBTEX, CITATION, URL
from gdpnum.statements.numbers import delta_shown, epsilon_shown, fpr_shown, upper

if TYPE_CHECKING:
    from gdpnum.statements import Fallback, Statement

__all__ = ["assumed", "cite", "header", "machines", "tables", "terms", "verdict"]

# A longer description of a run is cut; the JSON has it whole.
_LONGEST_RUN = 600

_POSITIVES = {
    "add_remove": (
        "how often an attack accuses a record that was not used",
        "how often it accuses a record that was used",
    ),
    "replace": (
        "how often an attack takes the first of two values of a record for the second",
        "how often it recognises the second",
    ),
    None: (
        "how often an attack takes the first of two neighbouring datasets for the second",
        "how often it recognises the second",
    ),
}

_TERMS = (
    (
        "mu, slack",
        "at every FPR, no attack does better than the best test between two normal distributions "
        "that are mu standard deviations apart, plus the slack",
    ),
    (
        "Regret",
        "how much worse mu makes the run look than its whole curve does, as a probability",
    ),
    (
        "(epsilon, delta)",
        "any outcome is at most exp(epsilon) times as likely for one dataset as for its "
        "neighbour, plus delta",
    ),
)


def header(statement: Statement) -> str:
    """The title, the headline sentence and what was run."""
    name = escaped(words.one_line(statement.name)) if statement.name else ""
    title = (
        f'<span class="kind">Privacy statement<span class="unseen">: </span></span>{name}'
        if name
        else "Privacy statement"
    )
    issued = [f"gdpnum {statement.version}", *([statement.date] if statement.date else [])]
    return f"""\
<header>
<h1>{title}</h1>
<p class="lead">{escaped(words.risk(statement))}</p>
<p class="issued">{escaped(" · ".join(reversed(issued)))}</p>
</header>"""


def verdict(statement: Statement) -> str:
    """Mu, how good a summary it is, and the leading numbers."""
    warnings = words.cautions(statement)
    sound = statement.is_complete and not warnings and math.isfinite(statement.mu)
    lines = [
        element("p", _unbroken(escaped(words.guarantee(statement)))),
        element("p", _stressed(words.quality(statement))),
    ]
    lines += [f"<p><strong>Warning.</strong> {escaped(warning)}</p>" for warning in warnings]
    rows = (
        (escaped(name), element("span", escaped(value), class_="number"), escaped(meaning))
        for name, value, meaning in words.numbers(statement)
    )
    return f"""\
<section aria-labelledby="verdict">
<h2 id="verdict">Verdict</h2>
<div class="verdict {"sound" if sound else "mind"}">
{chr(10).join(lines)}
</div>
{table("Leading numbers", ["number", "value", "meaning"], rows, kind="leading")}
</section>"""


def tables(statement: Statement) -> str:
    """The curve, (epsilon, delta) and, where mu is not a good summary, the rest of the fallback."""
    heading = "Tables"
    if statement.fallback:
        instead = "instead of" if math.isinf(statement.mu) else "beside"
        heading = f"Tables to report {instead} mu"
    curve = table(
        "True positive rate (TPR) at a false positive rate (FPR)",
        ["FPR", "TPR at most", "by mu alone"],
        ((_fpr(statement, row.fpr), upper(row.tpr), upper(row.tpr_gdp)) for row in statement.tpr),
    )
    epsilon = table(
        "epsilon at a delta",
        ["delta", "epsilon at most"],
        ((_delta(statement, row.delta), upper(row.epsilon)) for row in statement.epsilon),
    )
    fallback = _fallback(statement, statement.fallback) if statement.fallback else ""
    return f"""\
<section aria-labelledby="tables">
<h2 id="tables">{heading}</h2>
<div class="columns">
<div>
{curve}
</div>
<div>
{epsilon}
{fallback}
</div>
</div>
</section>"""


def assumed(statement: Statement) -> str:
    """What was run and what was assumed."""
    code = statement.mechanism
    if len(code) > _LONGEST_RUN:
        code = f"{code[:_LONGEST_RUN]} ... (in full in the JSON below)"
    run = words.run_in_words(statement.run)
    return f"""\
<section aria-labelledby="run">
<h2 id="run">What was run, and what is assumed</h2>
<p>{escaped(run[:1].upper() + run[1:])}.</p>
<pre><code>{escape(code)}</code></pre>
<p>{escaped(words.assumptions_in_words(statement))}</p>
</section>"""


def terms(statement: Statement) -> str:
    """What the words mean."""
    names = ("False positive rate (FPR)", "True positive rate (TPR)")
    rates = zip(names, _POSITIVES[statement.neighbouring], strict=True)
    lines = "\n".join(
        f"<div><dt>{escaped(term)}</dt><dd>{escaped(meaning)}</dd></div>"
        for term, meaning in (*rates, *_TERMS)
    )
    return f"""\
<section aria-labelledby="terms">
<h2 id="terms">Terms</h2>
<dl class="terms">
{lines}
</dl>
</section>"""


def cite() -> str:
    """The citation and its BibTeX, each with a button that the script shows."""
    return f"""\
<section aria-labelledby="cite">
<h2 id="cite">How to cite</h2>
<p id="citation">{escaped(CITATION)}, <a href="{URL}" rel="noreferrer">{URL}</a>.</p>
<pre id="bibtex"><code>{escape(BIBTEX)}</code></pre>
<p class="copy" id="copy" hidden>
<button type="button" data-copies="citation">Copy the citation</button>
<button type="button" data-copies="bibtex">Copy the BibTeX</button>
<span id="copied" role="status"></span>
</p>
</section>"""


def machines() -> str:
    """Where the JSON is."""
    return """\
<section aria-labelledby="machines">
<h2 id="machines">For machines</h2>
<p>This page holds the whole statement as JSON, every number in full, in the element
<code>&lt;script type="application/json" id="statement"&gt;</code>;
<code>gdpnum.Statement.from_json</code> reads it.</p>
</section>"""


def _fallback(statement: Statement, fallback: Fallback) -> str:
    profile = table(
        "delta at an epsilon (privacy profile)",
        ["epsilon", "delta at most"],
        ((epsilon_shown(row.epsilon), upper(row.delta)) for row in fallback.profile),
    )
    return f'{profile}\n<p class="note">{escaped(words.renyi(statement, fallback))}</p>'


def _fpr(statement: Statement, fpr: float) -> str:
    shown = fpr_shown(fpr)
    in_words = rate_shown(shown)
    note = _aside(in_words) if in_words != shown else ""
    if words.is_balanced(statement, fpr):
        note = _aside("both errors equally likely", kind="below")
    return f"{shown}{note}"


def _delta(statement: Statement, delta: float) -> str:
    found = words.delta_note(statement, delta)
    note = _aside(found) if found else ""
    return f"{delta_shown(delta)}{note}"


def _aside(note: str, *, kind: str = "beside") -> str:
    return f' <small class="{kind}">{escaped(note)}</small>'


def _unbroken(content: str) -> str:
    # A line must not end within "1.57-GDP".
    return re.sub(r"[\d.]+-GDP", r'<span class="unbroken">\g<0></span>', content)


def _stressed(sentence: str) -> str:
    # What comes before the colon is the verdict, what comes after it the reason.
    head, colon, rest = sentence.partition(":")
    return f"<strong>{escaped(head)}</strong>{colon}{escaped(rest)}" if colon else escaped(sentence)
