"""Adaptive budgets: releases whose noise is chosen as one goes, refused before they exceed a mu.

    budget = gdpnum.Budget(mu=1.0)
    while budget.can_spend(step):
        budget.spend(step)       # first, then release
        ...

An accountant adds up what was fixed in advance. Where each release is chosen after seeing the ones
before, that sum is a random number, and only a rule that stops in time (a *filter*) bounds it. For
releases that are mu_t-GDP without slack, mu_t chosen before the release, stopping before
sum mu_t^2 exceeds mu^2 leaves the whole mu-GDP. Sources: Smith and Thakurta 2022; Koskela et al.
2022; docs/proofs_person.md. No such rule holds for curves in general (arXiv 2602.06756).
"""

from gdpnum.budget.gaussian import Budget
from gdpnum.budget.ledger import OverBudget
from gdpnum.budget.renyi import RenyiBudget

__all__ = ["Budget", "OverBudget", "RenyiBudget"]
