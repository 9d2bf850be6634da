"""Pins of the contour engine's charges: the operations beside high precision of tests/contour."""

from collections.abc import Callable

import numpy as np
from mpmath import mp

from tests.contour import test_charges as beside


def in_high_precision(check: Callable[..., None], *arguments: object) -> Callable[[], None]:
    """The pin that a check of tests/contour is, on one input."""

    def pinned() -> None:
        with np.errstate(all="ignore"), mp.workdps(32):
            check(*arguments)

    return pinned


def several_transforms() -> None:
    # Of many steps: a power multiplies what is wrong with one, and which input shows it depends on
    # how numpy sums.
    for sigma, rate in ((1.0, 0.05), (4.0, 0.3), (2.0, 0.9)):
        for height in (0.0, 0.5):
            beside.test_transform(sigma, rate, 5000, height)


CONTOUR_PINS: dict[str, Callable[[], None]] = {
    name: in_high_precision(check, *arguments)
    for name, (check, *arguments) in {
        "quadrature": (beside.test_quadrature, 1.0, 0.05, 3.0),
        "cut_ends": (beside.test_cut_ends, 1.0, 0.05, 3.0),
        "shifted_quadrature": (beside.test_shifted_quadrature,),
        "decay_rounding": (beside.test_decay_rounding,),
        "chi_squared": (beside.test_chi_squared,),
        "left_out": (beside.test_left_out,),
        "left_out_slowly": (beside.test_left_out,),
        "slow_decay": (beside.test_slow_decay, 1.0),
        "aliases": (beside.test_aliases, 1.5),
        "known_images": (beside.test_evaluation_and_known_images, (3.0, 0.25, 400), 3),
        "loss_units": (beside.test_loss_units,),
        "lifted_units": (beside.test_lifted_units,),
        "weight_units": (beside.test_weight_units,),
        "phase_units": (several_transforms,),
        "transform_power": (beside.test_power,),
        "cumulant_rounding": (beside.test_cumulant_rounding,),
        "evaluation": (beside.test_evaluation_and_known_images, (3.0, 0.25, 400), 3),
        "one_quantile": (beside.test_quantile,),
        "profile_of_mu": (beside.test_profile_of_mu,),
        "gaussian_delta": (beside.test_gaussian_delta,),
    }.items()
}
