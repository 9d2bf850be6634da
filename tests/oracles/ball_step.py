"""One Poisson-sampled Gaussian step on a lattice of losses, in ball arithmetic.

The loss log((1 - q) + q exp((2x - 1)/(2 sigma^2))) increases with the output x, so a cell of
losses (w_i, w_(i+1)] is an interval of outputs, and its masses are differences of erfc:

    x(w) = sigma^2 log((e^w - (1 - q))/q) + 1/2.

Inputs are floats (or Fractions) taken as exact; the answers are balls that contain the truth.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from flint import arb, ctx, fmpq

Exact = float | Fraction | arb


def exact(number: Exact) -> arb:
    """The very number as a ball: every bit of a float, the nearest ball of a Fraction."""
    if isinstance(number, Fraction):
        return arb(fmpq(number.numerator, number.denominator))
    return number if isinstance(number, arb) else arb(float(number))


@dataclass(frozen=True)
class Cell:
    """Masses of a cell of losses under P and under Q."""

    p: arb
    q: arb


@dataclass(frozen=True)
class LatticeStep:
    """A dominating pair on the nodes: P masses, and what each side sends to infinity.

    The Q mass of a node w is exp(-w) times its P mass.
    """

    nodes: list[arb]
    masses: list[arb]
    p_at_infinity: arb
    """P mass of loss +inf."""
    q_at_infinity: arb
    """Q mass of loss -inf."""


def sampled_gaussian_cells(
    sigma: Exact, rate: Exact, nodes: Sequence[Exact], *, bits: int = 256
) -> list[Cell]:
    """Cells (-inf, w_0], (w_0, w_1], ..., (w_last, inf) of one step: one more than nodes."""
    with ctx.workprec(bits):
        s, q = exact(sigma), exact(rate)
        cuts = [_output(s, q, exact(node)) for node in nodes]
        edges = [arb.neg_inf(), *cuts, arb.pos_inf()]
        cells = []
        for left, right in pairwise(edges):
            base = _normal_mass(left / s, right / s)
            moved = _normal_mass((left - 1) / s, (right - 1) / s)
            cells.append(Cell(p=(1 - q) * base + q * moved, q=base))
        return cells


def connect_the_dots(
    cells: Sequence[Cell], nodes: Sequence[Exact], *, bits: int = 256
) -> LatticeStep:
    """Each inner cell split onto its two nodes so that both its P and its Q mass are kept.

    With a and b the Q masses sent to w_i and w_(i+1):  a + b = q,  e^(w_i) a + e^(w_(i+1)) b = p.

    Upper end cell: its Q mass goes to the last node w with P mass e^w q, and the rest of its P
    mass to +inf. Lower end cell: its P mass goes to the first node w with Q mass e^-w p, and the
    rest of its Q mass to -inf.
    """
    with ctx.workprec(bits):
        w = [exact(node) for node in nodes]
        growth = [node.exp() for node in w]
        first, *inner, last = cells
        masses = [arb(0)] * len(w)
        masses[0] += first.p
        masses[-1] += growth[-1] * last.q
        for i, cell in enumerate(inner):
            upper = (cell.p - growth[i] * cell.q) / (growth[i + 1] - growth[i])
            masses[i] += growth[i] * (cell.q - upper)
            masses[i + 1] += growth[i + 1] * upper
        return LatticeStep(
            nodes=w,
            masses=masses,
            p_at_infinity=last.p - growth[-1] * last.q,
            q_at_infinity=first.q - first.p / growth[0],
        )


def sampled_gaussian(
    sigma: Exact, rate: Exact, nodes: Sequence[Exact], *, bits: int = 256
) -> LatticeStep:
    """One Poisson-sampled Gaussian step on the lattice, pessimistically."""
    cells = sampled_gaussian_cells(sigma, rate, nodes, bits=bits)
    return connect_the_dots(cells, nodes, bits=bits)


def _output(sigma: arb, rate: arb, loss: arb) -> arb:
    odds = loss.exp() - (1 - rate)
    if odds > 0:
        return sigma**2 * (odds / rate).log() + arb(0.5)
    if odds <= 0:
        return arb.neg_inf()
    raise ArithmeticError(f"the loss {loss.str(20)} cannot be told from log(1 - rate); more bits")


def _normal_mass(low: arb, high: arb) -> arb:
    """Phi(high) - Phi(low), taken from the side where both tails are small."""
    if low > 0:
        return _upper_tail(low) - _upper_tail(high)
    return _upper_tail(-high) - _upper_tail(-low)


def _upper_tail(x: arb) -> arb:
    if x == arb.pos_inf():
        return arb(0)
    if x == arb.neg_inf():
        return arb(1)
    return (x / arb(2).sqrt()).erfc() / 2
