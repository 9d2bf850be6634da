"""Statements: what a run guarantees, how well mu tells it, and what it means as risk.

``build`` computes a statement, ``record`` is it, ``document`` writes it as JSON and reads it back,
``check`` refuses one that contradicts itself, ``text``, ``markdown`` and ``latex`` put it in words
that ``words`` chooses. The JSON is described by ``statement.schema.json`` beside this file.
"""

from gdpnum.statements.build import statement
from gdpnum.statements.record import (
    CurvePoints,
    EpsilonRow,
    Fallback,
    ProfilePoints,
    ProfileRow,
    Statement,
    TPRRow,
)

__all__ = [
    "CurvePoints",
    "EpsilonRow",
    "Fallback",
    "ProfilePoints",
    "ProfileRow",
    "Statement",
    "TPRRow",
    "statement",
]
