"""Random trade-off curves, from their definition: the best tests between two distributions."""

import numpy as np
from hypothesis import strategies as st

from gdpnum import TradeoffCurve

_masses = st.floats(0.0, 1.0).map(lambda x: x**3)


@st.composite
def vertex_lists(draw, most=7):
    """(alphas, betas) of the tests between two random distributions on a few outcomes.

    By Neyman and Pearson the best tests reject the outcomes of the highest ratio P/Q first.
    """
    size = draw(st.integers(2, most))
    p = np.array(draw(st.lists(_masses, min_size=size, max_size=size))) + 1e-6
    q = np.array(draw(st.lists(_masses, min_size=size, max_size=size))) + 1e-6
    if draw(st.booleans()):
        q[0] = 0.0
    if draw(st.booleans()):
        p[-1] = 0.0
    p, q = p / p.sum(), q / q.sum()
    with np.errstate(divide="ignore"):
        order = np.argsort(-(p / q), kind="stable")
    alphas = np.concatenate([[0.0], np.cumsum(q[order])])
    betas = 1.0 - np.concatenate([[0.0], np.cumsum(p[order])])
    alphas[-1], betas[-1] = 1.0, 0.0
    return np.minimum(alphas, 1.0), np.maximum(betas, 0.0)


curves = vertex_lists().map(lambda points: TradeoffCurve.from_vertices(*points))
symmetric_curves = curves.map(lambda curve: curve.symmetrised())


def bayes_error(points, prior):
    """min over alpha of prior alpha + (1 - prior) f(alpha): linear, so a vertex attains it."""
    alphas, betas = points
    return float(np.min(prior * alphas + (1.0 - prior) * betas))


def profile(points, epsilon):
    """sup over alpha of 1 - f(alpha) - exp(eps) alpha, at a vertex likewise."""
    alphas, betas = points
    return float(np.max(1.0 - betas - np.exp(epsilon) * alphas))
