"""The kinds of work, in the order of the report.

A section is a module with TITLE, ``measure(bench)``, which gives plain JSON, and
``render(result)``, which gives Markdown. It may have more, each a function of the result:
``summary``, lines of the table at the top; ``claims``, tuples of what must show, the figure, and
whether it does; ``plots``, the panels of each picture by name.
"""

from sections import (
    batches,
    breakdown,
    calibration,
    epsilon,
    growth,
    mu,
    schedule,
    small,
    sweep,
    topdown,
    tpr,
)

SECTIONS = {
    "mu": mu,
    "epsilon": epsilon,
    "tpr": tpr,
    "schedule": schedule,
    "calibration": calibration,
    "topdown": topdown,
    "batches": batches,
    "sweep": sweep,
    "growth": growth,
    "small": small,
    "breakdown": breakdown,
}
