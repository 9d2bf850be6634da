"""What the lattice engine says of itself before it begins."""

import gdpnum
from gdpnum.account import account
from gdpnum.accuracy import Accuracy
from gdpnum.lattice.engine import LatticeBounds


def planned(sigma, rate, steps, tolerance=1e-3):
    run = gdpnum.DPSGD(noise_multiplier=sigma, sample_rate=rate, steps=steps)
    above, below = account(run, Accuracy(tolerance=tolerance)).releases[:2]
    return LatticeBounds(above, below, Accuracy(tolerance=tolerance))


def test_what_takes_more_points_is_estimated_to_take_longer():
    coarse, fine = (planned(2.0, 1e-3, 1000, tolerance=one) for one in (1e-3, 1e-5))
    assert coarse.points < fine.points
    assert 0.0 < coarse.milliseconds(0.03) < fine.milliseconds(0.03)


def test_rounding_that_shows_beside_mu_makes_it_take_longer():
    """A lattice is refined where its masses, raised once a release, hide what little is lost."""
    many = planned(36.0, 2.43e-7, 6_845_221)
    assert many.milliseconds(2e-5) > 3.0 * many.milliseconds(1.0)
    few = planned(36.0, 2.43e-7, 68)
    assert few.milliseconds(2e-5) == few.milliseconds(1.0)
