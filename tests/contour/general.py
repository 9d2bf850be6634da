"""One run as the general way reads it, whatever quicker way there is."""

import numpy as np

from gdpnum import contour
from gdpnum.contour.ladder import ladder
from gdpnum.contour.pairs import Steps
from gdpnum.contour.reading import reading, sought
from gdpnum.contour.rungs import first_knots


def in_general(sigma, rate, steps, slack):
    """The lines of one run by the general way, and its first knots."""
    one, slacks = (
        Steps.of([[contour.Segment(contour.Poisson(sigma, rate), steps)]]),
        np.array([slack]),
    )
    with np.errstate(all="ignore"):
        rungs = ladder(one, 22.0)
        draft, guess = sought(one, rungs, slacks, 1e-9)
        lines = reading(one, rungs, draft, 1e7)
        knots = first_knots(rungs, np.repeat(slacks, 2), guess, lines.limits[-1])
    return lines, np.concatenate(knots, axis=1)
