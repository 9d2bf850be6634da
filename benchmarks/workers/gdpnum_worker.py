"""This library; it also judges the answers of others against attacks that exist."""

import numpy as np
from serve import serve, stepping
from stages import stages

import gdpnum
from gdpnum._validate import accuracy as asked
from gdpnum.account import account
from gdpnum.pairs.allocated import _law

#: Tolerance of what calibrated noise is judged by.
FINE = 1e-5


def described(segments):
    """Three numbers are DP-SGD (sigma, rate, steps), two a discrete Gaussian (sigma, times)."""
    return gdpnum.Composed([_one(*segment) for segment in segments])


def _one(sigma, *more):
    if len(more) == 1:
        return gdpnum.DiscreteGaussian(sigma=sigma) * more[0]
    return gdpnum.DPSGD(noise_multiplier=sigma, sample_rate=more[0], steps=more[1])


def mu(segments, accuracy=1e-3):
    fit = gdpnum.fit_gdp(described(segments), slack=1e-10, tolerance=accuracy)
    return {"mu": float(fit.mu), "regret": float(fit.regret)}


def epsilon(segments, delta, accuracy=1e-3):
    curve = gdpnum.tradeoff_curve(described(segments), tolerance=accuracy)
    return {"epsilon": float(curve.epsilon(delta))}


def tpr(segments, fpr, accuracy=1e-3):
    curve = gdpnum.tradeoff_curve(described(segments), tolerance=accuracy)
    return {"tpr": float(curve.tpr(fpr))}


def calibration(rate, steps, **target):
    found = gdpnum.calibrate_dpsgd(sample_rate=rate, steps=steps, **target)
    return {"noise": float(found.noise_multiplier), "calls": found.calls}


def achieved(noise, rate, steps, **target):
    """How far what this noise achieves lies above the target, relative to it."""
    run = described([(noise, rate, steps)])
    if "mu" in target:
        return {"excess": gdpnum.fit_gdp(run, tolerance=FINE).mu / target["mu"] - 1.0}
    curve = gdpnum.tradeoff_curve(run, tolerance=FINE)
    if "epsilon" in target:
        return {"excess": float(curve.epsilon(target["delta"])) / target["epsilon"] - 1.0}
    if "tpr" in target:
        return {"excess": float(curve.tpr(target["fpr"])) / target["tpr"] - 1.0}
    return {"excess": curve.advantage / target["advantage"] - 1.0}


def bracket(segments, delta, fpr, accuracy):
    """Bounds on mu, on epsilon and on the TPR, those from below by tests that exist."""
    mechanism = described(segments)
    fit = gdpnum.fit_gdp(mechanism, slack=1e-10, tolerance=accuracy)
    curve = gdpnum.tradeoff_curve(mechanism, tolerance=accuracy)
    found = account(mechanism, asked(accuracy))
    lowest_tpr, lowest_epsilon = 0.0, 0.0
    for tests in found.attacks:
        alphas = np.exp(np.minimum(tests.log_alpha, 0.0))
        lowest_tpr = max(lowest_tpr, _chord(alphas, tests.tpr, fpr))
        lowest_epsilon = max(lowest_epsilon, _refuted(tests, delta))
    return {
        "mu": [fit.mu_lower, fit.mu],
        "epsilon": [lowest_epsilon, float(curve.epsilon(delta))],
        "tpr": [lowest_tpr, float(curve.tpr(fpr))],
    }


def _refuted(tests, delta):
    """The largest epsilon that these tests refute: TPR <= exp(epsilon) FPR + delta for each."""
    beats = tests.tpr > delta
    implied = np.log(tests.tpr[beats] - delta) - tests.log_alpha[beats]
    return float(implied.max(initial=0.0))


def batches(run, delta):
    """Epsilon of a run in the words of DPSGD, computed anew each time."""
    _law.cache_clear()
    return {"epsilon": float(gdpnum.tradeoff_curve(gdpnum.DPSGD(**run)).epsilon(delta))}


def attacked(run, delta):
    """The largest epsilon that an attack on such a run refutes."""
    found = account(gdpnum.DPSGD(**run), asked(1e-3))
    return {"epsilon": max(_refuted(tests, delta) for tests in found.attacks)}


def _chord(alphas, tprs, fpr):
    """The TPR at fpr of the best test that tosses a coin between two of these."""
    order = np.argsort(alphas)
    alphas = np.concatenate([[0.0], alphas[order], [1.0]])
    tprs = np.concatenate([[0.0], tprs[order], [1.0]])
    after = max(1, int(np.searchsorted(alphas, fpr)))
    low, high = alphas[after - 1], alphas[after]
    share = (fpr - low) / (high - low) if high > low else 0.0
    # Without a coin, the best of the tests that accuse no more often.
    return float(max(tprs[:after].max(), (1.0 - share) * tprs[after - 1] + share * tprs[after]))


def sweep(settings):
    names = ("noise_multiplier", "sample_rate", "steps")
    listed = [
        dict(zip(names, (sigma, rate, int(steps)), strict=True)) for sigma, rate, steps in settings
    ]
    table = gdpnum.sweep(listed, columns=["mu", "regret"])
    return {"errors": len(table.errors)}


def breakdown(segments, accuracy, calls):
    return stages(described(segments), calls=calls, slack=1e-10, tolerance=accuracy)


TASKS = {
    "mu": mu,
    "epsilon": epsilon,
    "tpr": tpr,
    "calibration": calibration,
    "achieved": achieved,
    "bracket": bracket,
    "batches": batches,
    "attacked": attacked,
    "sweep": sweep,
    "breakdown": breakdown,
    "step": stepping(gdpnum.CTDAccountant),
}

if __name__ == "__main__":
    serve(TASKS, ["gdpnum", "numpy", "scipy"])
