"""The contour engine: the profile of analytic pairs as an integral, without a lattice.

A run goes through the files in this order; docs/proofs_contour.md has what each may be wrong by.

    pairs       what was released, many runs as arrays    grid      nodes of a quadrature
    ladder      K at some lam on the real axis            rungs     what these tell at once
    draft       which lines to integrate along, and why   plan      how far, how finely
    transform   M(z)^T on those lines                     phases, turns   its sums
    decay       what is left out beyond the last frequency
    line        delta and alpha, with their errors        reading   lines together
    decided     mu, mu_lower and regret, from few knots   chords    where these tell too little
    fit, many   one run's numbers; many runs' at once     profile   the whole curve

Quicker ways to a reading, by the same lemmas: `ordinary` for DP-SGD as most people run it, `jumpy`
where rare jumps have a say, `single` for one release. Guesses that certify nothing: `located`,
`estimate` and `worth`; `reach` is the error for what is left to the lattice.

>>> from gdpnum import contour
>>> run = [contour.Segment(contour.Poisson(sigma=9.4, rate=0.32768), 2000)]
>>> found = contour.fits([run], slack=1e-10)
>>> f"{found.mu[0]:.8f} {found.regret[0]:.8f}"
'1.56727546 0.00107150'
"""

from gdpnum.contour.fit import Fits
from gdpnum.contour.many import fits
from gdpnum.contour.pairs import Gaussian, Mixture, Poisson, Replace, Run, Segment
from gdpnum.contour.profile import Profile, profile
from gdpnum.contour.reach import OutOfReach
from gdpnum.contour.worth import MOST

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
