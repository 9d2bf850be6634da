"""Calibration: the setting that just meets a privacy target.

``target`` says what is asked for, a class each; ``start`` where to look; ``search`` finds the
setting in a few engine calls; ``family`` does so for any mechanism with one parameter, which its
kind names, ``dpsgd`` for DP-SGD; ``outcome`` is what comes back. An answer is on the safe side:
its achieved value is an upper bound, and at most the target.
"""

from gdpnum.calibration.dpsgd import calibrate_dpsgd
from gdpnum.calibration.family import calibrate
from gdpnum.calibration.outcome import Attempt, Calibration, DPSGDCalibration
from gdpnum.calibration.target import TPR, Advantage, Epsilon, Mu, Target, stated

__all__ = [
    "TPR",
    "Advantage",
    "Attempt",
    "Calibration",
    "DPSGDCalibration",
    "Epsilon",
    "Mu",
    "Target",
    "calibrate",
    "calibrate_dpsgd",
    "stated",
]
