"""The maximum of a function on an interval: a scan, then golden-section search."""

from collections.abc import Callable

from mpmath import mp, mpf


def maximum(function: Callable[[mpf], mpf], lowest, highest, *, points: int = 240) -> mpf:
    """Largest value of a smooth function on [lowest, highest].

    The scan finds the highest of `points` samples (and so the right hill, where there are
    several); the search then climbs it until the arguments agree to half the working digits,
    which settles the value, flat at its top, to all of them.
    """
    lowest, highest = mpf(lowest), mpf(highest)
    grid = [lowest + (highest - lowest) * i / points for i in range(points + 1)]
    with mp.workdps(30):  # enough to tell hills apart, and faster
        samples = [function(x) for x in grid]
    top = max(range(len(grid)), key=samples.__getitem__)
    left, right = grid[max(top - 1, 0)], grid[min(top + 1, points)]
    ratio = (mp.sqrt(5) - 1) / 2
    a, b = right - ratio * (right - left), left + ratio * (right - left)
    at_a, at_b = function(a), function(b)
    goal = mp.sqrt(mp.eps) * (1 + abs(left) + abs(right))
    while right - left > goal:
        if at_a >= at_b:
            right, b, at_b = b, a, at_a
            a = right - ratio * (right - left)
            at_a = function(a)
        else:
            left, a, at_a = a, b, at_b
            b = left + ratio * (right - left)
            at_b = function(b)
    # A maximum at an end of the interval is never reached from inside.
    return max(at_a, at_b, function(grid[top]))
