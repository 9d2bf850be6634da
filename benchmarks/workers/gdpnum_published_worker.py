"""gdpnum 0.1.2, with its defaults: lattice step 1e-4, cut-off 1e-10."""

from functools import reduce

from dp_accounting.pld.privacy_loss_distribution import from_discrete_gaussian_mechanism
from serve import serve, stepping

from gdpnum.converter import PLDConverter
from gdpnum.dpsgd import CTDAccountant, get_mu_and_regret_for_dpsgd


def accountant_of(segments):
    accountant = CTDAccountant()
    # What its step() would build up, without a Python loop over the steps.
    accountant.history = [tuple(segment) for segment in segments]
    return accountant


def mu(segments):
    if len(segments[0]) == 2:
        found, regret = PLDConverter(discrete(segments)).get_mu_and_regret()
    elif len(segments) == 1:
        found, regret = get_mu_and_regret_for_dpsgd(*segments[0])
    else:
        found, regret = accountant_of(segments).get_mu_and_regret()
    return {"mu": float(found), "regret": float(regret)}


def epsilon(segments, delta):
    return {"epsilon": float(accountant_of(segments).get_epsilon(delta=delta))}


def tpr(segments, fpr):
    return {"tpr": 1.0 - float(accountant_of(segments).get_beta(fpr))}


def discrete(segments):
    """The PLD of discrete Gaussians (sigma, times), which it takes from dp-accounting."""
    plds = (from_discrete_gaussian_mechanism(sigma).self_compose(n) for sigma, n in segments)
    return reduce(lambda one, other: one.compose(other), plds)


TASKS = {"mu": mu, "epsilon": epsilon, "tpr": tpr, "step": stepping(CTDAccountant)}

if __name__ == "__main__":
    serve(TASKS, ["gdpnum", "dp-accounting", "numpy", "scipy"])
