"""One good call of everything public: what bad inputs and strict floats are tried on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import gdpnum as g


class Call(NamedTuple):
    """A callable and arguments by name that it takes."""

    name: str
    function: Callable[..., Any]
    arguments: dict[str, Any]


def calls() -> list[Call]:
    """A call of each public function and class, and of the methods of what they return."""
    noise, run = g.Gaussian(sigma=1.0), g.DPSGD(noise_multiplier=1.0, sample_rate=0.1, steps=10)
    replaced = g.Gaussian(sigma=1.0, neighbouring="replace")
    curve, fit = g.tradeoff_curve(g.Laplace(scale=1.0)), g.fit_gdp(noise)
    rng = np.random.default_rng(0)
    scores = rng.normal(size=40)
    found: list[tuple[Callable[..., Any], dict[str, Any]]] = [
        (g.Gaussian, {"sigma": 1.0, "neighbouring": "add_remove"}),
        (g.Laplace, {"scale": 1.0}),
        (g.DiscreteGaussian, {"sigma": 1.0}),
        (g.DiscreteLaplace, {"scale": 1.0}),
        (g.Skellam, {"sigma": 1.0}),
        (g.RandomizedResponse, {"epsilon": 1.0, "categories": 2}),
        (g.ExponentialMechanism, {"epsilon": 1.0}),
        (g.ReportNoisyMax, {"scale": 1.0, "noise": "laplace", "monotonic": False}),
        (g.PoissonSampled, {"inner": noise, "rate": 0.1, "records_per_person": 1}),
        (
            g.FixedSize,
            {
                "inner": replaced,
                "batch_size": 2,
                "dataset_size": 9,
                "with_replacement": False,
                "records_per_person": 1,
            },
        ),
        (g.Shuffled, {"inner": replaced, "records_per_person": 1}),
        (g.Allocated, {"inner": noise, "bins": 4, "times": 1, "kept": 1}),
        (
            g.TruncatedPoisson,
            {"inner": noise, "rate": 0.1, "dataset_size": 20, "max_batch_size": 5},
        ),
        (g.CyclicPoisson, {"inner": noise, "rate": 0.1, "bands": 2}),
        (
            g.MatrixMechanism,
            {
                "strategy": [1.0, 0.5],
                "steps": 4,
                "noise_multiplier": 1.0,
                "min_separation": 2,
                "max_participations": 1,
                "neighbouring": "zero_out",
                "records_per_person": 1,
            },
        ),
        (g.BestOf, {"run": noise, "number": "geometric", "mean": 3.0}),
        (g.Composed, {"mechanisms": [noise, noise]}),
        (g.Repeated, {"mechanism": noise, "count": 2}),
        (
            g.DPSGD,
            {
                "noise_multiplier": 1.0,
                "sample_rate": 0.1,
                "steps": 5,
                "neighbouring": "add_remove",
                "records_per_person": 1,
                "batches": "poisson",
            },
        ),
        (g.GDP, {"mu": 1.0, "slack": 0.0}),
        (g.PureDP, {"epsilon": 1.0}),
        (g.ApproxDP, {"epsilon": 1.0, "delta": 1e-5}),
        (g.ZCDP, {"rho": 0.5}),
        (g.TruncatedCDP, {"rho": 0.5, "cap": 4.0}),
        (g.RDP, {"orders": [2.0, 4.0], "epsilons": [0.5, 1.0]}),
        (g.KnownCurve, {"tradeoff": curve, "optimistic": None}),
        (g.fit_gdp, {"mechanism": run, "slack": 1e-10, "tolerance": 1e-3, "grid_step": 0.01}),
        (g.tradeoff_curve, {"mechanism": run, "tolerance": 1e-3, "grid_step": 0.01}),
        (g.regret, {"representation": g.GDP(mu=1.1), "mechanism": noise, "tolerance": 1e-3}),
        (g.delta_divergence, {"f": curve, "g": fit, "symmetric": False}),
        (g.blackwell_order, {"first": noise, "second": curve}),
        (
            g.statement,
            {
                "mechanism": noise,
                "slack": 1e-10,
                "tolerance": 1e-3,
                "deltas": [1e-5],
                "fprs": [0.1],
                "dataset_size": 100,
                "name": "a",
                "date": "2026-01-01",
                "protected": "b",
            },
        ),
        (
            g.table,
            {"runs": [noise], "format": "text", "delta": 1e-5, "slack": 1e-10, "tolerance": 1e-3},
        ),
        (g.verify, {"found": g.statement(noise)}),
        (
            g.sweep,
            {
                "settings": [noise],
                "columns": ["mu"],
                "slack": 1e-10,
                "tolerance": 1e-3,
                "workers": 1,
            },
        ),
        (
            g.calibrate,
            {
                "family": g.Laplace(scale=1.0),
                "mu": 0.5,
                "slack": 1e-10,
                "tolerance": 1e-2,
                "integer": False,
            },
        ),
        (
            g.calibrate_dpsgd,
            {"sample_rate": 0.1, "steps": 10, "mu": 0.5, "slack": 1e-10, "tolerance": 1e-2},
        ),
        (
            g.audit,
            {
                "scores_in": scores + 1.0,
                "scores_out": scores,
                "claim": fit,
                "confidence": 0.9,
                "threshold": "bonferroni",
                "method": "joint",
                "slack": 1e-10,
                "seed": 0,
            },
        ),
        (
            g.audit_one_run,
            {
                "scores": scores,
                "included": scores > 0.0,
                "guesses": 10,
                "claim": fit,
                "confidence": 0.9,
                "slack": 1e-10,
                "seed": 0,
            },
        ),
        (g.per_person, {"mechanism": run, "records_per_person": 2}),
        (g.advantage_from_mu, {"mu": 1.0}),
        (g.delta_from_mu, {"mu": 1.0, "epsilon": 1.0}),
        (g.epsilon_from_mu, {"mu": 1.0, "delta": 1e-5}),
        (g.tpr_from_mu, {"mu": 1.0, "fpr": 0.1}),
        (g.rho_from_mu, {"mu": 1.0}),
        (g.mu_from_advantage, {"advantage": 0.3}),
        (g.mu_from_epsilon, {"epsilon": 1.0}),
        (g.mu_from_epsilon_delta, {"epsilon": 1.0, "delta": 1e-5}),
        (g.mu_from_rho, {"rho": 0.5, "assuming": "gaussian"}),
        (g.mu_from_tpr, {"tpr": 0.5, "fpr": 0.1}),
        (
            g.get_worst_case_regret,
            {"alphas": [0.0, 0.25, 1.0], "betas": [1.0, 0.25, 0.0], "mu": 2.0, "tol": 1e-10},
        ),
        (
            g.from_registry,
            {
                "entry": {
                    "deployment": {
                        "privacy_loss": {
                            "privacy_unit": "x",
                            "privacy_parameters": {"epsilon": 1.0, "delta": 1e-5},
                        }
                    }
                }
            },
        ),
        (g.from_pld, {"pld": None}),
        (g.from_dp_event, {"event": None, "neighbouring": "add_remove"}),
        (g.from_opacus, {"source": None}),
        (g.from_engine, {"engine": None}),
        (g.from_dp_accountant, {"accountant": None}),
        (g.Budget, {"mu": 1.0}),
        (g.Budget(mu=1.0).can_spend, {"mechanism": noise}),
        (g.RenyiBudget, {"epsilon": 2.0, "delta": 1e-5, "order": 8.0}),
        (g.CTDAccountant().step, {"noise_multiplier": 1.0, "sample_rate": 0.1}),
        (
            g.dpsgd.get_mu_and_regret_for_dpsgd,
            {
                "noise_multiplier": 1.0,
                "sample_rate": 0.1,
                "num_steps": 5,
                "grid_step": 0.01,
                "err": 1e-10,
            },
        ),
        (g.converter.gaussian_fdp, {"mu": 1.0}),
        (g.TradeoffCurve.from_vertices, {"alphas": [0.0, 0.25, 1.0], "betas": [1.0, 0.25, 0.0]}),
        (g.TradeoffCurve.from_samples, {"alphas": [0.0, 0.25, 1.0], "betas": [1.0, 0.25, 0.0]}),
        (
            g.TradeoffCurve.from_profile,
            {"profile": [0.5, 1.0], "deltas": [1e-3, 1e-5], "whole": False},
        ),
        (g.TradeoffCurve.from_json, {"text": curve.to_json()}),
        (curve.beta, {"alpha": 0.1}),
        (curve.tpr, {"fpr": 0.1}),
        (curve.delta, {"epsilon": 0.1}),
        (curve.epsilon, {"delta": 0.1}),
        (curve.composed_with, {"other": curve, "tolerance": 1e-2}),
        (curve.group, {"records": 2}),
        (fit.tpr, {"fpr": 0.1}),
        (g.risk.advantage, {"subject": noise}),
        (g.risk.tpr, {"subject": noise, "fpr": 0.1}),
        (g.risk.fnr, {"subject": noise, "fpr": 0.1}),
        (g.risk.bayes_error, {"subject": noise, "prior": 0.3}),
        (g.risk.attack_success, {"subject": noise, "baseline": 0.1}),
        (g.risk.positive_predictive_value, {"subject": noise, "prior": 0.3, "fpr": 0.1}),
        (g.ApproxDP.fit, {"subject": noise, "delta": 1e-5}),
        (g.PureDP.fit, {"subject": g.Laplace(scale=1.0)}),
    ]
    return [Call(getattr(f, "__qualname__", repr(f)), f, a) for f, a in found]
