"""Two or three DP-SGD steps by nested quadrature: slow, and with no lattice anywhere.

All steps but the last are integrated over their outputs x_1, ..., x_(n-1); the last one has a
closed form. For the profile, with L the loss and delta_1 the last step's own profile,

    delta(eps) = E_P[ delta_1(eps - L(x_1) - ... - L(x_(n-1))) ],

and likewise for the two tail masses. One step's loss stops short at log(1 - rate), and there the
closed form, as a function of the loss, is flat on one side and steep like a logarithm on the
other. Each integral is therefore split at the x that puts the later steps on that edge, and each
part is done by tanh-sinh quadrature, whose nodes crowd at the ends.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_ndtr, ndtr, ndtri

Direction = Literal["remove", "add"]
Quantity = Literal["alpha", "beta", "tpr", "delta"]
Floats = NDArray[np.float64]


class Segment(NamedTuple):
    """One Poisson-sampled Gaussian step."""

    sigma: float
    rate: float


class Estimate(NamedTuple):
    """A value, and an error estimate: the distance to a quadrature three quarters as fine."""

    value: float
    error: float


# Nodes on either side of an edge. 120 put them 1.2 sigma apart where they are sparsest, enough
# for six digits of a bell; 240 and 320 are good for all.
_COARSE, _CHECK, _FINE = 120, 240, 320
_REACH = 14.0  # standard deviations: 1e-44 is left out


# --- one step -----------------------------------------------------------------------------------


def _loss(segment: Segment, x: Floats) -> Floats:
    """The "remove" loss log(1 - rate + rate exp((2x - 1)/(2 sigma^2)))."""
    inner = (2 * x - 1) / (2 * segment.sigma**2)
    with np.errstate(divide="ignore"):
        return np.logaddexp(np.log1p(-segment.rate), np.log(segment.rate) + inner)


def _inner_loss(segment: Segment, loss: Floats) -> Floats:
    """log N(1)/N(0) where the sampled loss is `loss`; -inf where it never gets so low."""
    with np.errstate(divide="ignore", over="ignore"):
        odds = np.maximum(np.expm1(loss) + segment.rate, 0.0)
        # expm1 overflows past 709, long after 1 - rate stopped mattering.
        return np.where(loss > 40, loss, np.log(odds)) - np.log(segment.rate)


def _threshold(segment: Segment, loss: Floats) -> Floats:
    """x(loss) = sigma^2 log((e^loss - (1 - rate))/rate) + 1/2."""
    return segment.sigma**2 * _inner_loss(segment, loss) + 0.5


def _one_step(segment: Segment, w: Floats, direction: Direction, quantity: Quantity) -> Floats:
    """A quantity of the test "loss >= w" on a single step."""
    sigma, rate = segment
    removing = direction == "remove"
    inner = _inner_loss(segment, w if removing else -w)
    t = sigma**2 * inner + 0.5
    if quantity == ("alpha" if removing else "tpr"):
        return ndtr(-t / sigma) if removing else ndtr(t / sigma)
    if quantity == ("tpr" if removing else "beta"):
        if removing:
            return (1 - rate) * ndtr(-t / sigma) + rate * ndtr((1 - t) / sigma)
        return ndtr(-t / sigma)
    if quantity != "delta":  # beta when removing, alpha when adding: the mixture below t
        return (1 - rate) * ndtr(t / sigma) + rate * ndtr((t - 1) / sigma)
    # The (1 - rate) N(0) part cancels from tpr - exp(w) alpha by hand, and with it the loss of
    # digits at a small rate: what is left is the unsampled Gaussian's profile at `inner`.
    with np.errstate(invalid="ignore"):
        if removing:
            gain = ndtr((1 - t) / sigma) - np.exp(inner + log_ndtr(-t / sigma))
            return np.where(np.isneginf(t), -np.expm1(w), rate * gain)
        gain = np.exp(w + inner + log_ndtr(t / sigma)) - np.exp(w + log_ndtr((t - 1) / sigma))
        return np.where(np.isneginf(t), 0.0, rate * gain)


# --- several steps ------------------------------------------------------------------------------


def _tanh_sinh(count: int) -> tuple[Floats, Floats]:
    """Nodes and weights on (0, 1); each node is given by its distance from 0."""
    u = np.linspace(-3.3, 3.3, count)
    inner = np.pi / 2 * np.sinh(u)
    # 1/(1 + exp(-2v)) keeps its digits near 0, where (1 + tanh v)/2 does not.
    node = 1 / (1 + np.exp(-2 * inner))
    weight = (u[1] - u[0]) * np.pi / 4 * np.cosh(u) / np.cosh(inner) ** 2
    return node, weight


def _nodes(segment: Segment, edge: Floats, count: int) -> tuple[Floats, Floats]:
    """Outputs x and weights on either side of `edge`, along a new last axis."""
    low, high = -_REACH * segment.sigma, 1 + _REACH * segment.sigma
    edge = np.clip(edge, low, high)[..., None]
    node, weight = _tanh_sinh(count)
    x = np.concatenate([edge - (edge - low) * node, edge + (high - edge) * node], axis=-1)
    return x, np.concatenate([(edge - low) * weight, (high - edge) * weight], axis=-1)


def _density(segment: Segment, x: Floats, *, mixture: bool) -> Floats:
    sigma, rate = segment
    base = np.exp(-0.5 * (x / sigma) ** 2)
    moved = np.exp(-0.5 * ((x - 1) / sigma) ** 2)
    top = (1 - rate) * base + rate * moved if mixture else base
    return top / (sigma * np.sqrt(2 * np.pi))


def _integrated(
    steps: Sequence[Segment], w: Floats, direction: Direction, quantity: Quantity, count: int
) -> Floats:
    """E[quantity of the last step at w - sum of the earlier losses], one step at a time."""
    first, *later = steps
    if not later:
        return _one_step(first, w, direction, quantity)
    sign = 1.0 if direction == "remove" else -1.0
    with np.errstate(divide="ignore"):
        floor = sum(float(np.log1p(-segment.rate)) for segment in later)
    edge = _threshold(first, sign * w - floor) if np.isfinite(floor) else np.full_like(w, 0.5)
    x, weight = _nodes(first, edge, count)
    # alpha is a mass under Q, the rest are taken under P; P is the mixture when removing.
    mixture = (quantity == "alpha") != (direction == "remove")
    inside = _integrated(later, w[..., None] - sign * _loss(first, x), direction, quantity, count)
    return np.sum(weight * _density(first, x, mixture=mixture) * inside, axis=-1)


def _value(
    steps: Sequence[Segment], w: float, direction: Direction, quantity: Quantity, count: int
) -> float:
    return float(_integrated(steps, np.asarray(w, dtype=float), direction, quantity, count))


def _estimate(
    steps: Sequence[tuple[float, float]], w: float, direction: Direction, quantity: Quantity
) -> Estimate:
    if not 1 <= len(steps) <= 3:
        raise ValueError(f"{len(steps)} steps; nested quadrature is affordable for 1, 2 or 3")
    segments = [Segment(*step) for step in steps]
    check = _value(segments, w, direction, quantity, _CHECK)
    fine = _value(segments, w, direction, quantity, _FINE)
    return Estimate(fine, abs(fine - check) + 1e-12 * abs(fine))


def profile(steps: Sequence[tuple[float, float]], epsilon: float, direction: Direction) -> Estimate:
    """delta(eps) of the (sigma, rate) steps run one after the other, for every real eps."""
    return _estimate(steps, epsilon, direction, "delta")


def errors(
    steps: Sequence[tuple[float, float]], loss: float, direction: Direction
) -> tuple[Estimate, Estimate]:
    """(alpha, beta) of the test "total loss >= loss"."""
    alpha = _estimate(steps, loss, direction, "alpha")
    return alpha, _estimate(steps, loss, direction, "beta")


def directed_mu(steps: Sequence[tuple[float, float]], slack: float, direction: Direction) -> float:
    """max over w >= 0 of -Phi^-1(alpha) - Phi^-1(beta + slack), for slack > 0."""
    segments = [Segment(*step) for step in steps]

    def accuracy(w: float, count: int = _COARSE) -> float:
        alpha = _value(segments, w, direction, "alpha", count)
        tpr = _value(segments, w, direction, "tpr", count) - slack
        if tpr <= 0 or alpha <= 0:
            return -np.inf
        if tpr < 0.5:  # 1 - (beta + slack) directly, before it cancels
            return float(ndtri(tpr) - ndtri(alpha))
        beta = _value(segments, w, direction, "beta", count) + slack
        return float(-ndtri(beta) - ndtri(alpha))

    # Beyond the largest useful threshold the TPR is below the slack.
    top = 1.0 / 64
    while accuracy(top) > -np.inf and top < 256:
        top *= 2
    grid = np.linspace(0.0, top, 60)
    best = int(np.argmax([accuracy(w) for w in grid]))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    found = minimize_scalar(
        lambda w: -accuracy(w), bounds=(low, high), method="bounded", options={"xatol": 1e-7}
    )
    # The top is flat: where it lies need not be known as well as how high it is.
    return max(0.0, accuracy(float(grid[best]), _FINE), accuracy(float(found.x), _FINE))


def mu(steps: Sequence[tuple[float, float]], slack: float) -> float:
    """Smallest mu with which the steps, add/remove, are (mu, slack)-GDP."""
    return max(directed_mu(steps, slack, "remove"), directed_mu(steps, slack, "add"))
