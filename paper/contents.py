"""The sections, in the order of the page."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from paper.attacks import attacks
from paper.conversions import conversions
from paper.desiderata import desiderata
from paper.headline import headline
from paper.meaning import meaning
from paper.randomised_response import randomised_response
from paper.regrets import regrets
from paper.result import Section
from paper.rule_of_thumb import rule_of_thumb
from paper.topdown import topdown
from paper.training import table_2, tables_6_7

__all__ = ["contents"]


def contents(
    swept: Callable[[int, int], None] | None = None,
) -> dict[str, Callable[[], Section]]:
    """Each section by name, not yet computed; ``swept`` is told how far the one sweep is."""
    return {
        "Table 1": desiderata,
        "Figures 1a and 1b": headline,
        "Figure 1c": regrets,
        "Figure 2": meaning,
        "Table 2": table_2,
        "Tables 3 and 4": conversions,
        "Figure 3": partial(rule_of_thumb, swept),
        "Figure 4a": topdown,
        "Figure 4b": randomised_response,
        "Appendix B": attacks,
        "Tables 6 and 7, Figures 6 and 7": tables_6_7,
    }
