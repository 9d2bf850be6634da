"""gdpnum 0.1.2, with its defaults: lattice step 1e-4, cut-off 1e-10."""

from gdpnum.dpsgd import CTDAccountant, get_mu_and_regret_for_dpsgd
from serve import serve


def answer(segments):
    if len(segments) == 1:
        mu, regret = get_mu_and_regret_for_dpsgd(*segments[0])
    else:
        accountant = CTDAccountant()
        # What its step() would build up, without a Python loop over the steps.
        accountant.history = [tuple(segment) for segment in segments]
        mu, regret = accountant.get_mu_and_regret()
    return {"mu": float(mu), "regret": float(regret)}


if __name__ == "__main__":
    serve(answer, ["gdpnum", "dp-accounting", "numpy", "scipy"])
