"""Analytic pairs, and many of them as arrays: what the contour engine is told.

Every pair but the Gaussian is P = N A against Q = N C on the line of a standard normal N, with
A(u) = sum_j w_j exp(j c u - j^2 c^2 / 2), c = 1 / sigma, and C = 1 or C(u) = A(-u).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from gdpnum import charges
from gdpnum.errors import InvalidArgument
from gdpnum.floats import Floats
from gdpnum.pairs.gaussian import GaussianPair, ReplacedGaussianPair, SampledGaussianPair
from gdpnum.pairs.mixture import PersonPair, WholeShiftsPair
from gdpnum.pairs.pair import Pair as OrderedPair
from gdpnum.pairs.pair import Release, SampledPair

# exp overflows a little above.
_LARGEST = 690.0

# Records of a person up to which each number of them has a term of its own.
_RECORDS = 100


class Gaussian(NamedTuple):
    """N(mu, 1) against N(0, 1)."""

    mu: float


class Poisson(NamedTuple):
    """(1 - rate) N(0) + rate N(1) against N(0), of standard deviation sigma."""

    sigma: float
    rate: float


class Replace(NamedTuple):
    """(1 - rate) N(0) + rate N(1) against (1 - rate) N(0) + rate N(-1)."""

    sigma: float
    rate: float


class Mixture(NamedTuple):
    """sum_j weights[j] N(j) against N(0), weights to within half a unit each.

    ``real_rooted`` promises that sum_j weights[j] y^j has real roots only (binomial weights do,
    before they are rounded).
    """

    sigma: float
    weights: tuple[float, ...]
    real_rooted: bool = False


Pair: TypeAlias = Gaussian | Poisson | Replace | Mixture


class Segment(NamedTuple):
    """A pair and how often it is released."""

    pair: Pair
    times: int


Run: TypeAlias = Sequence[Segment]


def run_of(releases: Sequence[Release]) -> Run | None:
    """The releases as segments of analytic pairs; None if there is one that is not."""
    found = []
    for one, times in releases:
        analytic = _analytic(one)
        if analytic is None:
            return None
        found.append(Segment(analytic, times))
    return found or None


def _analytic(pair: OrderedPair) -> Pair | None:
    if isinstance(pair, SampledGaussianPair):
        return Poisson(pair.sigma, pair.rate)
    if isinstance(pair, SampledPair) and isinstance(pair.inner, GaussianPair):
        return Poisson(1.0 / pair.inner.mu, pair.rate)
    if isinstance(pair, PersonPair) and pair.records <= _RECORDS:
        return Mixture(pair.sigma, pair.shares, real_rooted=True)
    if isinstance(pair, WholeShiftsPair) and len(pair.shares) <= _RECORDS:
        return Mixture(pair.sigma, pair.shares)
    if isinstance(pair, ReplacedGaussianPair):
        return Replace(pair.sigma, pair.rate)
    return Gaussian(pair.mu) if isinstance(pair, GaussianPair) else None


class Nodes(NamedTuple):
    """The pairs at points u of the real line, by segment and node."""

    u: Floats
    loss: Floats
    log_q: Floats
    """log C."""
    units: Floats
    """Units of rounding by which the loss, and log C, may be wrong."""
    posteriors: tuple[Floats, ...]
    """w_j exp(r_j) / A for j = 1..k."""
    mirrored: tuple[Floats, ...]
    """The same at -u."""

    def rows(self, kept: slice | npt.NDArray[np.intp]) -> Nodes:
        """Some of the segments."""
        if isinstance(kept, slice) and kept.start == 0 and kept.stop >= self.u.shape[0]:
            return self
        u, loss, log_q, units = (one[kept] for one in self[:4])
        posteriors, mirrored = (tuple(one[kept] for one in part) for part in self[4:])
        return Nodes(u, loss, log_q, units, posteriors, mirrored)


@dataclass(frozen=True, eq=False)
class Steps:
    """The segments of one or more runs that are not Gaussian, as arrays; Gaussians are merged."""

    c: Floats
    weights: Floats
    """w_1..w_k, by segment."""
    absent: Floats
    """w_0."""
    counts: Floats
    owner: npt.NDArray[np.intp]
    """The run each segment belongs to, in increasing order."""
    replaced: Floats
    """One where C(u) = A(-u), zero where C = 1."""
    rooted: npt.NDArray[np.bool_]
    variance: Floats
    """sum n mu^2 of the Gaussians of each run."""

    @classmethod
    def of(cls, runs: Sequence[Run]) -> Steps:
        """The runs' segments; the same pair twice is one with the sum of the counts."""
        rows: list[tuple[float, tuple[float, ...], float, int, int, float, bool]] = []
        variance = np.zeros(len(runs))
        for i, run in enumerate(runs):
            gathered: dict[Pair, int] = {}
            for pair, count in run:
                if isinstance(pair, (Poisson, Replace)) and pair.rate == 1.0:
                    pair = Gaussian((1.0 + isinstance(pair, Replace)) / pair.sigma)  # noqa: PLW2901
                gathered[pair] = gathered.get(pair, 0) + count
            for pair, count in gathered.items():
                if isinstance(pair, Gaussian):
                    variance[i] += count * pair.mu * pair.mu
                elif isinstance(pair, Mixture):
                    absent, *present = pair.weights
                    c, rooted = 1.0 / pair.sigma, pair.real_rooted
                    rows.append((c, tuple(present), absent, count, i, 0.0, rooted))
                elif pair.rate > 0.0:
                    replaced = float(isinstance(pair, Replace))
                    absent = 1.0 - pair.rate
                    rows.append((1.0 / pair.sigma, (pair.rate,), absent, count, i, replaced, True))
        most = max((len(row[1]) for row in rows), default=1)
        weights = np.zeros((len(rows), most))
        for j, row in enumerate(rows):
            weights[j, : len(row[1])] = row[1]
        if not all(row[0] > 0.0 and math.isfinite(row[0]) for row in rows):
            raise InvalidArgument("sigma of a contour's pair must be positive and finite")
        return cls(
            c=np.array([row[0] for row in rows]),
            weights=weights,
            absent=np.array([row[2] for row in rows]),
            counts=np.array([float(row[3]) for row in rows]),
            owner=np.array([row[4] for row in rows], dtype=np.intp),
            replaced=np.array([row[5] for row in rows]),
            rooted=np.array([row[6] for row in rows], dtype=np.bool_),
            variance=variance,
        )

    @cached_property
    def runs(self) -> int:
        """How many runs there are."""
        return self.variance.size

    @cached_property
    def symmetric(self) -> bool:
        """Whether every run is, so that adding and removing are the same."""
        return bool(self.replaced.all())

    @cached_property
    def is_plain(self) -> bool:
        """Whether it is one run of sampled Gaussians, next to what is added or removed."""
        one = self.runs == 1 and self.c.size > 0 and self.weights.shape[1] == 1
        return one and not any(self.replaced.tolist())

    @cached_property
    def segments(self) -> list[tuple[float, float, float]]:
        """1 / sigma, the rate and the count of each, where there is but one shift."""
        each = self.c.tolist(), self.weights[:, 0].tolist(), self.counts.tolist()
        return list(zip(*each, strict=True))

    @cached_property
    def shifts(self) -> Floats:
        """k, the largest shift of each."""
        if self.weights.shape[1] == 1:
            return np.ones(self.c.size)
        last: Floats = 1.0 + np.argmax(np.where(self.weights[:, ::-1] > 0.0, 1.0, 0.0), axis=1)
        found: Floats = self.weights.shape[1] - last + 1.0
        return found

    @cached_property
    def rate(self) -> Floats:
        """1 - w_0."""
        total: Floats = self.weights.sum(axis=1)
        return total

    @cached_property
    def slope(self) -> Floats:
        """The largest slope of the loss, and of its argument on a shifted line: k c (C: twice)."""
        return self.shifts * self.c * (1.0 + self.replaced)

    @cached_property
    def unsampled(self) -> Floats:
        """The mu of each run as if every record were always sampled."""
        if self.is_plain:
            total = sum(count * (c * c) for c, _, count in self.segments)
            return np.array([math.sqrt(total + float(self.variance[0]))])
        mu: Floats = np.sqrt(self.total(self.counts * self.slope**2) + self.variance)
        return mu

    @cached_property
    def strip(self) -> Floats:
        """A has no zero with |Im u| below this: pi / c if real-rooted, pi / (k c) if not."""
        return np.pi / (self.c * np.where(self.rooted, 1.0, self.shifts))

    def log_shrink(self, heights: Floats) -> Floats:
        """A bound on log(A(u) / |A(u + ib)|) for heights b, by segment: -k log cos(c b / 2)."""
        c, k, rooted = (x[:, None] for x in (self.c, self.shifts, self.rooted))
        angle = 0.5 * c * heights * np.where(rooted, 1.0, k)
        cosine = np.where(angle < 0.5 * np.pi, np.cos(np.minimum(angle, 0.5 * np.pi)), 0.0)
        bound: Floats = -np.where(rooted, k, 1.0) * np.log(np.maximum(cosine, 0.0))
        return bound

    def part(self, chosen: npt.NDArray[np.intp]) -> Steps:
        """Some of the runs, in that order."""
        if chosen.size == self.runs and np.array_equal(chosen, np.arange(self.runs)):
            return self
        starts = np.searchsorted(self.owner, np.arange(self.runs + 1))
        kept = np.concatenate(
            [np.zeros(0, np.intp), *(np.arange(starts[i], starts[i + 1]) for i in chosen)]
        )
        sizes = (starts[1:] - starts[:-1])[chosen]
        return Steps(
            self.c[kept],
            self.weights[kept],
            self.absent[kept],
            self.counts[kept],
            np.repeat(np.arange(chosen.size), sizes),
            self.replaced[kept],
            self.rooted[kept],
            self.variance[chosen],
        )

    def only(self, kept: npt.NDArray[np.intp]) -> Steps:
        """Some of the segments, in increasing order; the runs are the same."""
        if kept.size == self.c.size:
            return self
        return replace(
            self,
            c=self.c[kept],
            weights=self.weights[kept],
            absent=self.absent[kept],
            counts=self.counts[kept],
            owner=self.owner[kept],
            replaced=self.replaced[kept],
            rooted=self.rooted[kept],
        )

    def total(self, values: Floats) -> Floats:
        """Sums over the segments of each run, along the first axis."""
        if self.runs == 1:
            total: Floats = values.sum(axis=0, keepdims=True)
            return total
        result = np.zeros((self.runs, *values.shape[1:]))
        if self.owner.size == self.runs and np.array_equal(self.owner, np.arange(self.runs)):
            return values
        starts = np.searchsorted(self.owner, np.arange(self.runs))
        held = np.searchsorted(self.owner, np.arange(self.runs), side="right") > starts
        if values.shape[0]:
            result[held] = np.add.reduceat(values, starts[held], axis=0)
        return result

    def at(self, u: Floats) -> Nodes:
        """The pairs at the points u (by segment and node)."""
        loss, units, posteriors = self._one_side(u)
        log_q = np.zeros_like(loss)
        mirrored: tuple[Floats, ...] = ()
        if not self.is_plain and self.replaced.any():
            other, other_units, mirrored = self._one_side(-u)
            replaced = self.replaced[:, None]
            log_q = replaced * other
            loss = loss - log_q
            units = units + replaced * other_units + 2.0 * np.abs(loss)
            mirrored = tuple(replaced * one for one in mirrored)
        return Nodes(u, loss, log_q, units, posteriors, mirrored)

    def _one_side(self, u: Floats) -> tuple[Floats, Floats, tuple[Floats, ...]]:
        """The log of A, its units and the posteriors."""
        if self.weights.shape[1] > 1:
            return self._mixed(u)
        c, q = self.c[:, None], self.weights
        r = c * u
        spread = np.abs(r)
        half = 0.5 * c * c
        spread += half
        r -= half
        # Of q and 1 - q the smaller one is kept apart, so that the loss keeps its digits:
        # log(1 - q + q e^r) = log1p(q expm1(r)) = r + log1p((1 - q) expm1(-r)).
        often = q > 0.5
        flipped = bool(often.any())
        rare, x = (np.where(often, 1.0 - q, q), np.where(often, -r, r)) if flipped else (q, r)
        large = float(x.max(initial=0.0)) > _LARGEST
        loss = np.expm1(np.minimum(x, _LARGEST) if large else x)
        loss *= rare
        np.log1p(loss, out=loss)
        if large:
            loss = np.where(x > _LARGEST, x + np.log(rare), loss)
        if flipped:
            loss = np.where(often, loss + r, loss)
        posterior = q * np.exp(r - loss)
        units = charges.loss_units(spread, posterior, loss)
        if flipped:
            units = np.where(often, units + 28.0 * spread, units)
        return loss, units, (posterior,)

    def _mixed(self, u: Floats) -> tuple[Floats, Floats, tuple[Floats, ...]]:
        c = self.c[:, None]
        order = np.arange(1.0, 1.0 + self.weights.shape[1])
        r = order[:, None, None] * (c * u) - (0.5 * c * c) * (order * order)[:, None, None]
        w = self.weights.T[:, :, None]
        spread = (
            np.abs(order[:, None, None] * (c * u)) + (0.5 * c * c) * (order * order)[:, None, None]
        )
        often = (self.rate > 0.5)[:, None]
        small = np.log1p((w * np.expm1(np.minimum(r, _LARGEST))).sum(axis=0))
        logs = np.log(w) + r
        top = np.maximum(logs.max(axis=0), 0.0)
        absent = self.absent[:, None]
        large = top + np.log(np.exp(logs - top).sum(axis=0) + absent * np.exp(-top))
        direct = often | (r.max(axis=0) > 30.0)
        loss = np.where(direct, large, small)
        posteriors = np.where(w > 0.0, np.exp(logs - loss), 0.0)
        # j c u and j^2 c^2 / 2 have a rounding more each than c u and c^2 / 2.
        reached = 1.5 * (posteriors * spread).sum(axis=0)
        counted = 8.0 * w.shape[0]
        units = charges.loss_units(reached, np.ones_like(reached), loss) + counted * np.abs(loss)
        # A plain logarithm of a sum has units of its own, whatever the size of the loss.
        weighed = (posteriors * np.where(w > 0.0, np.abs(np.log(w)), 0.0)).sum(axis=0)
        plain = units + 10.0 * weighed + 2.0 * counted + 8.0 * np.abs(loss) + 24.0
        units = np.where(direct, plain, units)
        # Terms of both signs in the sum under log1p.
        scale = (w * np.abs(np.expm1(np.minimum(r, 30.0)))).sum(axis=0) * np.exp(-loss)
        units = np.where(direct, units, units + (24.0 + counted) * scale)
        return loss, units, tuple(posteriors)

    def lifted(self, nodes: Nodes, angles: Floats) -> tuple[Floats, Floats | None, Floats]:
        """Logs of |A(u + ia) / A(u)|, of the same of C (None: zero), and arg A - arg C.

        By segment, angle c a and node; k c a must be below pi / 2.
        """
        log_a, arg = lifted(nodes.posteriors, angles)
        if not nodes.mirrored:
            return log_a, None, arg
        log_c, arg_c = lifted(nodes.mirrored, angles)
        return log_a, log_c, arg + arg_c


def lifted(posteriors: tuple[Floats, ...], angles: Floats) -> tuple[Floats, Floats]:
    """Modulus (its log) and argument of sum_j pi_j exp(i j angle), with pi_0 the rest."""
    angles = angles[:, :, None]
    if len(posteriors) == 1:
        # |.|^2 - 1 = -4 pi (1 - pi) sin(angle / 2)^2.
        one = posteriors[0][:, None, :]
        square = np.sin(0.5 * angles) ** 2
        shrunk = (one * (1.0 - one)) * (-4.0 * square)
        np.log1p(shrunk, out=shrunk)
        shrunk *= 0.5
        real = one * (-2.0 * square)
        real += 1.0
        slope = one * np.sin(angles)
        slope /= real
        return shrunk, np.arctan(slope, out=slope)
    lost: Floats | float = 0.0
    imaginary: Floats | float = 0.0
    for j, posterior in enumerate(posteriors, start=1):
        one = posterior[:, None, :]
        lost = lost + one * (2.0 * np.sin(0.5 * j * angles) ** 2)
        imaginary = imaginary + one * np.sin(j * angles)
    # |.|^2 - 1 = (1 - lost)^2 + im^2 - 1.
    modulus = 0.5 * np.log1p(np.maximum(lost * (lost - 2.0) + imaginary * imaginary, -1.0))
    return modulus, np.arctan(imaginary / (1.0 - lost))
