"""The paper to cite, as CITATION.cff has it."""

from __future__ import annotations

__all__ = ["BIBTEX", "CITATION", "KEY", "TITLE", "URL"]

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
