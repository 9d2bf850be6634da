"""What a statement says that does not depend on its run: relations, scale, terms, citation.

All of it plain text, not escaped. CITATION.cff has the citation too.
"""

from __future__ import annotations

import math
from typing import NamedTuple

SECOND_READING = (
    "The same rates bound singling out, guessing an attribute and reconstruction: an attempt whose "
    "chance would be FPR without the record has a chance of at most TPR with it."
)

#: What a mu up to so much excludes, in words.
SCALE = (
    (0.1, "that any attack does noticeably better than guessing"),
    (0.5, "attacks that do much better than guessing"),
    (1.0, "that many records are found without accusing many others"),
    (2.0, "near-certainty, not that a good part of the records is found"),
    (4.0, "only that most records are found with hardly a false accusation"),
    (math.inf, "little: at an FPR of 1 % nearly all records may be found"),
)

#: What each of them is called.
LABELS = {
    "protected": "who is protected",
    "released": "what was released",
    "batches": "how batches were drawn and checked",
    "tuning": "tuning",
    "trust_model": "trust model",
    "dataset": "dataset",
    "model": "model and version",
    "contact": "contact",
}


class Relation(NamedTuple):
    """The words of a neighbouring relation."""

    neighbours: str
    risk: str
    false_positive: str
    true_positive: str


_TWO_CASES = (
    "Guessing names the second rightly in {fpr} of cases if it may name it wrongly in {fpr}. With "
    "what this run released, no attack names it rightly in more than {tpr}."
)
_TAKES, _RECOGNISES = "how often an attack takes the first for the second", "how often it is right"

RELATIONS = {
    "add_remove": Relation(
        "neighbouring datasets differ by one {record} added or removed",
        "Guessing finds {fpr} of the {records} that were used if it may wrongly accuse {fpr} of "
        "the others. With what this run released, no attack finds more than {tpr}.",
        "how often an attack accuses a {record} that was not used",
        "how often it accuses a {record} that was used",
    ),
    "zero_out": Relation(
        "neighbouring datasets differ by one {record} whose contributions are blanked out",
        "Guessing finds {fpr} of the {records} that counted if it may wrongly accuse {fpr} of "
        "those blanked out. With what this run released, no attack finds more than {tpr}.",
        "how often an attack accuses a {record} that was blanked out",
        "how often it accuses a {record} that counted",
    ),
    "replace": Relation(
        "neighbouring datasets differ by one {record} replaced by another",
        f"Which of two values did a {{record}} have? {_TWO_CASES}",
        f"{_TAKES} of two values of a {{record}}",
        _RECOGNISES,
    ),
    None: Relation(
        "neighbouring datasets are those that the guarantee was given for",
        f"Which of two neighbouring datasets was used? {_TWO_CASES}",
        f"{_TAKES} of two neighbouring datasets",
        _RECOGNISES,
    ),
}

#: What the words mean.
TERMS = (
    (
        "mu, slack",
        "at every FPR no attack has a TPR above Phi(Phi^-1(FPR) + mu) + slack, the TPR of the best "
        "test between two normal distributions that are mu standard deviations apart",
    ),
    (
        "regret",
        "how much worse mu with its slack makes the run look than its whole curve does: the "
        "largest difference in an attacker's probability of being right, over all priors. Below "
        "0.01 that is at most one point in a hundred, and two of advantage",
    ),
    ("advantage", "the most by which TPR can exceed FPR"),
    (
        "(epsilon, delta)",
        "any outcome is at most exp(epsilon) times as likely for one dataset as for its "
        "neighbour, plus delta",
    ),
)

KEY = "gomez2026gaussian"

URL = "https://arxiv.org/abs/2503.10945"

TITLE = "Gaussian DP for Reporting Differential Privacy Guarantees in Machine Learning"

CITATION = (
    "Juan Felipe Gomez, Bogdan Kulynych, Georgios Kaissis, Flavio P. Calmon, Jamie Hayes, "
    f'Borja Balle and Antti Honkela: "{TITLE}". IEEE Conference on Secure and Trustworthy Machine '
    "Learning (SaTML), 2026"
)

BIBTEX = f"""\
@inproceedings{{{KEY},
  title = {{{TITLE.replace("DP", "{DP}")}}},
  author = {{Gomez, Juan Felipe and Kulynych, Bogdan and Kaissis, Georgios and Calmon, Flavio P.
            and Hayes, Jamie and Balle, Borja and Honkela, Antti}},
  booktitle = {{IEEE Conference on Secure and Trustworthy Machine Learning (SaTML)}},
  year = {{2026}},
  note = {{arXiv:2503.10945}},
}}"""
