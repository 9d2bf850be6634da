"""Statements: what a run guarantees, how well mu tells it, and what it means as risk.

``build`` computes a statement, ``record`` is it. ``told`` makes blocks of it from the sentences in
``words`` and ``releases``; `gdpnum.blocks` renders them, and ``page`` makes a web page of them.
``document`` writes JSON and reads it back, ``first`` reads the first schema, ``check`` refuses
what contradicts itself, ``verify`` computes it again. ``registry`` writes and reads entries of the
public registry, ``tabulate`` makes one table of many runs. The JSON is described by
``statement.schema.json`` beside this file.
"""

from gdpnum.statements.build import statement
from gdpnum.statements.record import Statement
from gdpnum.statements.rows import (
    Audited,
    CurvePoints,
    EpsilonRow,
    Fallback,
    ProfilePoints,
    ProfileRow,
    Stated,
    TPRRow,
)

__all__ = [
    "Audited",
    "CurvePoints",
    "EpsilonRow",
    "Fallback",
    "ProfilePoints",
    "ProfileRow",
    "Stated",
    "Statement",
    "TPRRow",
    "statement",
]
