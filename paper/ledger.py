"""The ledger: every claim of the paper with what we find, on the page and as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from paper.claim import VERDICTS, Claim, in_order
from paper.files import as_markdown
from paper.result import Section, Table

__all__ = ["ledger", "ledger_markdown"]

_HEAD = ("where", "the paper says", "we find", "verdict")


def ledger(sections: Sequence[Section]) -> Section:
    """The section of the page that has all claims of the others."""
    claims = _claims(sections)
    return Section(
        slug="ledger",
        title="The ledger of claims",
        lead=(
            "Every sentence of the paper that states a number, an order or a rule, in our words, "
            f"with what we find. {summary(claims)}"
        ),
        tables=(_table(claims),),
        notes=tuple(f"{verdict}: {meaning}." for verdict, meaning in VERDICTS.items()),
    )


def ledger_markdown(sections: Sequence[Section]) -> str:
    """The ledger as a page of the documentation."""
    claims = _claims(sections)
    meanings = "\n".join(f"- **{name}**: {meaning}." for name, meaning in VERDICTS.items())
    return f"""\
# The ledger of claims

Every sentence of [the paper](https://arxiv.org/abs/2503.10945) that states a number, an order or
a rule, in our words, with what we find. Numbers of tables and figures are the paper's.
{summary(claims)}

{meanings}

`make paper` computes this page, and a test holds it against the one you read.

{as_markdown(_table(claims))}"""


def summary(claims: Sequence[Claim]) -> str:
    """How many claims have which verdict."""
    counts = Counter(one.verdict for one in claims)
    parts = [
        f"{counts['holds']} hold",
        f"{counts['holds with a condition']} hold with a condition",
        f"{counts['does not hold']} do not",
        f"{counts['not judged']} are not judged",
    ]
    return f"Of {len(claims)} claims {', '.join(parts[:-1])} and {parts[-1]}."


def _claims(sections: Sequence[Section]) -> list[Claim]:
    return in_order([claim for section in sections for claim in section.claims])


def _table(claims: Sequence[Claim]) -> Table:
    rows = tuple((one.where, one.says, one.here, one.verdict) for one in claims)
    return Table("ledger", "All claims, in the order of the paper", _HEAD, rows)
