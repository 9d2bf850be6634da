"""Claim: a sentence of the paper that states a number, an order or a rule, with a verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["VERDICTS", "Claim", "Verdict", "in_order"]

Verdict = Literal["holds", "holds with a condition", "does not hold", "not judged"]

#: What each verdict means.
VERDICTS: dict[Verdict, str] = {
    "holds": "we find the same, or it follows by proof",
    "holds with a condition": "true once something is added that the paper leaves out",
    "does not hold": "we find something else",
    "not judged": "about times, conventions or the work of others; nothing here decides it",
}

_PLACES = (
    *("Abstract", "Section 1", "Figure 1", "Section 2", "Figure 2", "Section 3", "Table 1"),
    *("Section 4", "Figure 3", "Table 2", "Section 5", "Figure 4", "Figure 5", "Table 3"),
    *("Table 4", "Section 6", "Section 7", "Section 8", "Section 9"),
    *("Appendix A", "Appendix B", "Appendix C", "Appendix D", "Appendix E", "Appendix F"),
)


@dataclass(frozen=True)
class Claim:
    """Where the paper says it, what it says (in our words), what we find, and the verdict."""

    where: str
    says: str
    here: str
    verdict: Verdict


def in_order(claims: list[Claim]) -> list[Claim]:
    """The claims as the paper makes them, from its abstract to its last appendix.

    >>> later, first = Claim("Table 3", "", "", "holds"), Claim("Figure 1c", "", "", "holds")
    >>> [one.where for one in in_order([later, first])]
    ['Figure 1c', 'Table 3']
    """

    def place(one: Claim) -> int:
        return next(i for i, name in enumerate(_PLACES) if one.where.startswith(name))

    return sorted(claims, key=place)
