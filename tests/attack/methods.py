"""One good call of what `calls` leaves out: methods, targets, plots, and rarer functions."""

from __future__ import annotations

import inspect
import json
import tempfile
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import gdpnum as g
from tests.attack.calls import Call, calls

plt.switch_backend("Agg")

#: Public, but not to be called with values of a user's: outcomes, bases, and what only tells.
OUTCOMES = frozenset(
    name
    for line in (
        "AuditResult BlackwellOrder Calibration Comparison DPSGDCalibration DeltaDivergence",
        "EngineCheck GDPFit Kind Knob Mechanism Missing OneRunAudit Representation RunsAudit",
        "Statement SweepTable TradeoffCurve Verification register column_axes check_engine",
    )
    for name in line.split()
)

#: What an entry of the registry has to have.
REGISTERED = ("name", "intended_use", "data_product_type", "description", "data_product_region")


@cache
def every_call() -> tuple[Call, ...]:
    """A call of everything public that takes an argument."""
    return (*calls(), *methods(), *plots())


def methods() -> list[Call]:
    """Calls of methods, and of functions for which `calls` has no place."""
    noise, run = g.Gaussian(sigma=1.0), g.DPSGD(noise_multiplier=1.0, sample_rate=0.1, steps=10)
    laplace = g.Laplace(scale=1.0)
    gdp = g.GDP(mu=1.0)
    rdp = g.RDP(orders=[2.0, 4.0], epsilons=[0.5, 1.0])
    scores = np.random.default_rng(0).normal(size=40)
    audited = g.audit(scores + 1.0, scores)
    canaries = g.audit_one_run(scores, scores > 0.0)
    said, stated = g.statement(noise), json.loads(audited.to_json())
    swept = g.sweep([noise], columns=["mu"], workers=1)
    compared = g.compare(noise, laplace)
    folder = Path(tempfile.mkdtemp())
    accountant = g.CTDAccountant()
    accountant.step(noise_multiplier=1.0, sample_rate=0.1)
    found: list[tuple[str, Callable[..., Any], dict[str, Any]]] = [
        ("MixtureOfGaussians", g.MixtureOfGaussians,
         {"sigma": 1.0, "shifts": [0.0, 1.0], "weights": [0.5, 0.5], "neighbouring": "add_remove"}),
        ("DiscreteGaussian", g.DiscreteGaussian,
         {"sigma": 1.0, "sensitivity": 2, "neighbouring": "replace"}),
        ("DiscreteLaplace", g.DiscreteLaplace,
         {"scale": 1.0, "sensitivity": 2, "neighbouring": "replace"}),
        ("BestOf", g.BestOf, {"run": noise, "number": "truncated_negative_binomial", "eta": 0.5,
                              "gamma": 0.1}),
        ("BestOf of some", g.BestOf, {"run": noise, "number": 3}),
        ("DPSGD in epochs", g.DPSGD, {"noise_multiplier": 1.0, "batch_size": 10,
                                      "dataset_size": 100, "epochs": 2.0, "unit": "record"}),
        ("DPSGD fixed", g.DPSGD, {"noise_multiplier": 1.0, "batch_size": 10, "dataset_size": 100,
                                  "steps": 5, "batches": "fixed", "with_replacement": True}),
        ("DPSGD allocated", g.DPSGD, {"noise_multiplier": 1.0, "batches": "allocated",
                                      "steps_per_epoch": 10, "times_per_epoch": 1, "epochs": 2,
                                      "fixed_bins": False}),
        ("DPSGD truncated", g.DPSGD, {"noise_multiplier": 1.0, "sample_rate": 0.1, "steps": 5,
                                      "batches": "truncated", "dataset_size": 50,
                                      "max_batch_size": 20}),
        ("DPSGD cyclic", g.DPSGD, {"noise_multiplier": 1.0, "sample_rate": 0.1, "steps": 8,
                                   "batches": "cyclic", "bands": 2}),
        ("DPSGD person", g.DPSGD, {"noise_multiplier": 1.0, "sample_rate": 0.1, "steps": 5,
                                   "unit": "person", "records_per_person": 2}),
        ("MatrixMechanism sampled", g.MatrixMechanism,
         {"strategy": [1.0, 0.5], "steps": 4, "noise_multiplier": 1.0, "sample_rate": 0.1}),
        ("MatrixMechanism in epochs", g.MatrixMechanism,
         {"strategy": [1.0, 0.5], "steps": 4, "noise_multiplier": 1.0, "epochs": 2}),
        ("mechanism * count", lambda count: noise * count, {"count": 2}),
        ("GDP.fit", g.GDP.fit, {"subject": run, "slack": 1e-10, "tolerance": 1e-3}),
        ("GDP.tpr", gdp.tpr, {"fpr": 0.1}),
        ("Profile.delta", gdp.profile().delta, {"epsilon": 1.0}),
        ("Profile.epsilon", gdp.profile().epsilon, {"delta": 1e-5}),
        ("Profile()", gdp.profile().__call__, {"epsilon": 1.0}),
        ("RDP.closed_form_delta", rdp.closed_form_delta, {"epsilon": 1.0}),
        ("RDP.curve", rdp.curve, {"method": "closed_form"}),
        ("RDP.fit", g.RDP.fit, {"subject": noise, "orders": [2.0, 3.0]}),
        ("ZCDP.fit", g.ZCDP.fit, {"subject": noise}),
        ("ZCDP.curve", g.ZCDP(rho=0.5).curve, {"method": "optimal"}),
        ("ZCDP.closed_form_delta", g.ZCDP(rho=0.5).closed_form_delta, {"epsilon": 1.0}),
        ("TruncatedCDP.fit", g.TruncatedCDP.fit, {"subject": noise, "cap": 8.0}),
        ("TruncatedCDP.curve", g.TruncatedCDP(rho=0.5, cap=4.0).curve, {"method": "optimal"}),
        ("TruncatedCDP.closed_form_delta", g.TruncatedCDP(rho=0.5, cap=4.0).closed_form_delta,
         {"epsilon": 1.0}),
        ("ApproxDP.fit", g.ApproxDP.fit, {"subject": noise, "delta": 1e-5, "tolerance": 1e-3}),
        ("compare", lambda first, second, **more: g.compare(first, second, **more),  # noqa: PLW0108
         {"first": noise, "second": laplace, "slack": 1e-10, "tolerance": 1e-2}),
        ("Comparison.between", compared.between, {"first": 0, "second": 1}),
        ("grid", g.grid, {"noise_multiplier": [1.0], "sample_rate": [0.1]}),
        ("sweep of settings", lambda **setting: g.sweep([setting], columns=["mu"], workers=1),
         {"noise_multiplier": 1.0, "sample_rate": 0.1, "steps": 5}),
        ("sweep", g.sweep, {"settings": [noise], "columns": ["epsilon@1e-5", "tpr@0.1"],
                            "progress": None, "executor": None}),
        ("sweep resumed", lambda resume: g.sweep([noise], columns=["mu"], resume=resume),
         {"resume": folder / "rows"}),
        ("SweepTable.to_csv", swept.to_csv, {"path": folder / "a.csv"}),
        ("SweepTable.to_jsonl", swept.to_jsonl, {"path": folder / "a.jsonl"}),
        ("calibrate_dpsgd to epsilon", g.calibrate_dpsgd,
         {"noise_multiplier": 1.0, "sample_rate": 0.1, "epsilon": 2.0, "delta": 1e-5,
          "neighbouring": "add_remove"}),
        ("calibrate_dpsgd to advantage", g.calibrate_dpsgd,
         {"noise_multiplier": 1.0, "steps": 10, "advantage": 0.2}),
        ("calibrate_dpsgd to tpr", g.calibrate_dpsgd,
         {"sample_rate": 0.1, "steps": 10, "tpr": 0.2, "fpr": 0.1}),
        ("calibrate_dpsgd fixed", g.calibrate_dpsgd,
         {"batches": "fixed", "batch_size": 10, "dataset_size": 100, "steps": 5, "mu": 1.0}),
        ("calibrate between", g.calibrate,
         {"family": lambda sigma: g.Gaussian(sigma=sigma), "between": (0.1, 100.0), "epsilon": 1.0,
          "delta": 1e-5, "target": None, "progress": None}),
        ("calibrate whole", g.calibrate, {"family": lambda n: noise * n, "between": (1, 100),
                                          "advantage": 0.9, "integer": True}),
        ("per_person none", g.per_person, {"mechanism": run, "records_per_person": 3}),
        ("reported_fprs", g.risk.reported_fprs, {"advantage": 0.3}),
        ("Statement.to_registry", said.to_registry,
         {**dict.fromkeys(REGISTERED, "a"), "publication_date": "2026-01-01",
          "data_product_type": "Dataset",
          "data_curators": ["b"], "registry_authors": ["c"]}),
        ("statement in words", g.statement,
         {"mechanism": noise, "released": "a", "batches": "b", "tuning": "c", "trust_model": "d",
          "dataset": "e", "model": "f", "contact": "g", "audit": audited}),
        ("report.html", g.report.html, {"statement": said}),
        ("AuditResult.from_dict", g.AuditResult.from_dict, {"found": stated}),
        ("AuditResult.from_json", g.AuditResult.from_json, {"text": audited.to_json()}),
        ("Statement.from_json", g.Statement.from_json, {"text": said.to_json()}),
        ("Budget.from_json", g.Budget.from_json, {"text": g.Budget(mu=1.0).to_json()}),
        ("RenyiBudget.from_json", g.RenyiBudget.from_json,
         {"text": g.RenyiBudget(epsilon=2.0, delta=1e-5, order=8.0).to_json()}),
        ("RunsAudit.epsilon", audited.epsilon, {"delta": 1e-5, "assuming": "gaussian"}),
        ("RunsAudit.tpr", audited.tpr, {"fpr": 0.1}),
        ("OneRunAudit.epsilon", canaries.epsilon, {"delta": 1e-5, "assuming": None}),
        ("Budget.spend", g.Budget(mu=1e9).spend, {"mechanism": noise}),
        ("Budget.guard", g.Budget(mu=1e9).guard, {"release": abs, "mechanism": noise}),
        ("Budget.steps", lambda **a: next(g.Budget(mu=1e9).steps(**a), None),
         {"batches": [1, 2], "mechanism": noise}),
        ("RenyiBudget", g.RenyiBudget, {"epsilon": 2.0, "delta": 1e-5, "expected": noise}),
        ("RenyiBudget.epsilon_at", g.RenyiBudget(epsilon=2.0, delta=1e-5, order=8.0).epsilon_at,
         {"delta": 1e-6}),
        ("CTDAccountant.get_epsilon", accountant.get_epsilon, {"delta": 1e-5, "grid_step": 0.01}),
        ("CTDAccountant.get_advantage", accountant.get_advantage,
         {"grid_step": 0.01, "use_connect_dots": True}),
        ("CTDAccountant.get_beta", accountant.get_beta, {"alpha": 0.1, "grid_step": 0.01}),
        ("CTDAccountant.get_mu_and_regret", accountant.get_mu_and_regret,
         {"err": 1e-10, "grid_step": 0.01}),
        ("CTDAccountant.get_optimizer_hook_fn", accountant.get_optimizer_hook_fn,
         {"sample_rate": 0.1}),
        ("CTDAccountant.load_state_dict", g.CTDAccountant().load_state_dict,
         {"state_dict": accountant.state_dict()}),
        ("CTDAccountant.get_pld", accountant.get_pld, {"grid_step": 0.01}),
        ("CTDAccountant.state_dict", accountant.state_dict, {"destination": {}}),
        ("from_opendp", g.from_opendp, {"source": None, "d_in": 1, "measure": None}),
        ("to_opendp", g.to_opendp, {"subject": noise, "tolerance": 1e-3}),
        ("PLDConverter", g.PLDConverter, {"pld": None}),
        ("gaussian_fdp()", g.converter.gaussian_fdp(1.0), {"alpha": 0.1}),
    ]  # fmt: skip
    return [Call(name, function, arguments) for name, function, arguments in found]


def plots() -> list[Call]:
    """Calls of what draws."""
    noise, scores = g.Gaussian(sigma=1.0), np.random.default_rng(0).normal(size=40)
    records = [{"sample_rate": rate, "regret": 0.1, "label": "a"} for rate in (0.1, 0.2)]
    subject: dict[str, Any] = {"subject": noise, "ax": None, "mu": 1.0}
    found: list[tuple[Callable[..., Any], dict[str, Any]]] = [
        (g.plot.tradeoff, subject),
        (g.plot.roc, subject),
        (g.plot.profile, subject),
        (g.plot.difference, subject),
        (g.plot.comparison, {"subjects": {"a": noise}, "ax": None, "scale": "log"}),
        (g.plot.regret_sweep, {"records": records, "ax": None}),
        (g.plot.audit, {"result": g.audit(scores + 1.0, scores), "ax": None, "scale": "log"}),
    ]
    return [Call(f"plot.{f.__name__}", partial(_drawn, f), a) for f, a in found]


def _drawn(function: Callable[..., Any], **arguments: Any) -> None:
    function(**arguments)
    plt.close("all")


def left_out() -> Iterator[str]:
    """What is public and takes arguments, but is never called here."""
    made = {call.name.split(" ")[0].split(".")[0] for call in every_call()}
    made |= {call.name.rpartition(".")[2] for call in every_call()}
    for name in g.__all__:
        one = getattr(g, name)
        if inspect.ismodule(one):
            yield from (
                f"{name}.{part}"
                for part in getattr(one, "__all__", ())
                if callable(getattr(one, part)) and part not in made | OUTCOMES
                and not isinstance(getattr(one, part), type) and part.islower()
            )  # fmt: skip
        elif callable(one) and name not in made | OUTCOMES and not _is_error(one):
            yield name


def _is_error(one: object) -> bool:
    return isinstance(one, type) and issubclass(one, Exception)
