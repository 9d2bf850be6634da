"""The sections, in the order of the page, by the paper's numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from paper.algorithm import algorithm
from paper.attacks import attacks
from paper.background import background
from paper.classification import classification
from paper.conversions import conversions
from paper.desiderata import desiderata
from paper.headline import headline
from paper.meaning import meaning
from paper.randomised_response import randomised_response
from paper.regrets import regrets
from paper.result import Section
from paper.rule_of_thumb import rule_of_thumb
from paper.topdown import topdown
from paper.training import table_5, table_6

__all__ = ["contents"]


def contents(
    swept: Callable[[int, int], None] | None = None,
) -> dict[str, Callable[[], Section]]:
    """Each section by name, not yet computed; ``swept`` is told how far the one sweep is."""
    return {
        "Figures 1a and 1b": headline,
        "Figure 1c": regrets,
        "Figure 2": meaning,
        "Table 1": desiderata,
        "Figure 3": algorithm,
        "Table 2": classification,
        "Figure 4": partial(rule_of_thumb, swept),
        "Figure 5a": topdown,
        "Figure 5b": randomised_response,
        "Tables 3 and 4": conversions,
        "Figure 6": attacks,
        "Table 5 and Figure 7": table_5,
        "Table 6 and Figure 8": table_6,
        "Two formulas": background,
    }
