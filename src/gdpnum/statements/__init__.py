"""Statements: what a run guarantees, how well mu tells it, and what it means as risk.

``record`` holds the numbers and what follows from them, ``words`` and ``releases`` make sentences
and blocks of them; `gdpnum.blocks` renders the blocks, and ``page`` makes a web page of them.
``build`` computes a statement, which is a record in every form.
``document`` writes JSON and reads it back, ``first`` reads the first schema, ``check`` refuses
what contradicts itself, ``verify`` computes it again. ``registry`` writes and reads entries of the
public registry, ``tabulate`` makes one table of many runs. The JSON is described by
``statement.schema.json`` beside this file.
"""

from gdpnum.statements.build import Statement, statement
from gdpnum.statements.description import kind_names, leaf_of
from gdpnum.statements.registry import FIELDS as REGISTRY_FIELDS
from gdpnum.statements.registry import LISTS as REGISTRY_LISTS
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
    "REGISTRY_FIELDS",
    "REGISTRY_LISTS",
    "Audited",
    "CurvePoints",
    "EpsilonRow",
    "Fallback",
    "ProfilePoints",
    "ProfileRow",
    "Stated",
    "Statement",
    "TPRRow",
    "kind_names",
    "leaf_of",
    "statement",
]
