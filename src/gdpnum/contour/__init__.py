"""The contour engine: the profile of analytic pairs as an integral, without a lattice.

>>> from gdpnum import contour
>>> run = [contour.Segment(contour.Poisson(sigma=9.4, rate=0.32768), 2000)]
>>> found = contour.fits([run], slack=1e-10)
>>> f"{found.mu[0]:.8f} {found.regret[0]:.8f}"
'1.56727546 0.00107150'
"""

from gdpnum.contour.fit import MOST, Fits
from gdpnum.contour.many import fits
from gdpnum.contour.pairs import Gaussian, Mixture, Poisson, Replace, Run, Segment
from gdpnum.contour.profile import Profile, profile
from gdpnum.contour.reach import OutOfReach

__all__ = [
    "MOST",
    "Fits",
    "Gaussian",
    "Mixture",
    "OutOfReach",
    "Poisson",
    "Profile",
    "Replace",
    "Run",
    "Segment",
    "fits",
    "profile",
]
