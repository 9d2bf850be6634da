"""Differential privacy accounting in Gaussian DP, where every number is a guarantee.

Describe what was run, then ask::

    run = gdpnum.DPSGD(noise_multiplier=9.4, sample_rate=0.32768, steps=2000)
    fit = gdpnum.fit_gdp(run)            # fit.mu, with its slack, its bracket and its regret
    curve = gdpnum.tradeoff_curve(run)   # curve.tpr(fpr), curve.epsilon(delta), ...

Everything public is a name in this module. Names that compute are loaded when first used, so that
describing a mechanism costs no import of numpy or scipy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from gdpnum._version import __version__
from gdpnum.errors import (
    BudgetExceeded,
    GdpnumError,
    InvalidArgument,
    InvalidType,
    UnsupportedMechanism,
)
from gdpnum.mechanisms import (
    DPSGD,
    Allocated,
    BestOf,
    Composed,
    CyclicPoisson,
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    FixedSize,
    Gaussian,
    Laplace,
    MatrixMechanism,
    Mechanism,
    MixtureOfGaussians,
    PoissonSampled,
    RandomizedResponse,
    Repeated,
    ReportNoisyMax,
    Shuffled,
    Skellam,
    TruncatedPoisson,
)

if TYPE_CHECKING:
    from gdpnum import converter, dpsgd, integrations, plot, report, risk
    from gdpnum.account import tradeoff_curve
    from gdpnum.auditing import AuditResult, OneRunAudit, RunsAudit, audit, audit_one_run
    from gdpnum.budget import Budget, OverBudget, RenyiBudget
    from gdpnum.calibration import Calibration, DPSGDCalibration, calibrate, calibrate_dpsgd
    from gdpnum.comparison import Comparison, compare
    from gdpnum.converter import PLDConverter, get_worst_case_regret
    from gdpnum.curve.order import BlackwellOrder
    from gdpnum.curve.tradeoff import TradeoffCurve
    from gdpnum.dpsgd import CTDAccountant
    from gdpnum.formulas.conversions import (
        advantage_from_mu,
        delta_from_mu,
        epsilon_from_mu,
        mu_from_advantage,
        mu_from_epsilon,
        mu_from_epsilon_delta,
        mu_from_rho,
        mu_from_tpr,
        rho_from_mu,
        tpr_from_mu,
    )
    from gdpnum.integrations.dp_accounting import from_dp_accountant, from_dp_event, from_pld
    from gdpnum.integrations.engine_check import EngineCheck, check_engine
    from gdpnum.integrations.engines import from_engine
    from gdpnum.integrations.opacus import from_opacus
    from gdpnum.integrations.opendp import from_opendp, to_opendp
    from gdpnum.kind import Kind, Knob, Missing, register
    from gdpnum.measures.divergence import DeltaDivergence, delta_divergence
    from gdpnum.measures.gdp import GDPFit, fit_gdp
    from gdpnum.measures.order import blackwell_order
    from gdpnum.measures.regret import regret
    from gdpnum.person import per_person
    from gdpnum.representations import (
        GDP,
        RDP,
        ZCDP,
        ApproxDP,
        KnownCurve,
        PureDP,
        Representation,
        TruncatedCDP,
    )
    from gdpnum.statements import Statement, statement
    from gdpnum.statements.registry import from_registry
    from gdpnum.statements.tabulate import table
    from gdpnum.statements.verify import Verification, verify
    from gdpnum.sweeps import SweepTable, grid, sweep

__all__ = [
    "DPSGD",
    "GDP",
    "RDP",
    "ZCDP",
    "Allocated",
    "ApproxDP",
    "AuditResult",
    "BestOf",
    "BlackwellOrder",
    "Budget",
    "BudgetExceeded",
    "CTDAccountant",
    "Calibration",
    "Comparison",
    "Composed",
    "CyclicPoisson",
    "DPSGDCalibration",
    "DeltaDivergence",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "EngineCheck",
    "ExponentialMechanism",
    "FixedSize",
    "GDPFit",
    "Gaussian",
    "GdpnumError",
    "InvalidArgument",
    "InvalidType",
    "Kind",
    "Knob",
    "KnownCurve",
    "Laplace",
    "MatrixMechanism",
    "Mechanism",
    "Missing",
    "MixtureOfGaussians",
    "OneRunAudit",
    "OverBudget",
    "PLDConverter",
    "PoissonSampled",
    "PureDP",
    "RandomizedResponse",
    "RenyiBudget",
    "Repeated",
    "ReportNoisyMax",
    "Representation",
    "RunsAudit",
    "Shuffled",
    "Skellam",
    "Statement",
    "SweepTable",
    "TradeoffCurve",
    "TruncatedCDP",
    "TruncatedPoisson",
    "UnsupportedMechanism",
    "Verification",
    "__version__",
    "advantage_from_mu",
    "audit",
    "audit_one_run",
    "blackwell_order",
    "calibrate",
    "calibrate_dpsgd",
    "check_engine",
    "compare",
    "converter",
    "delta_divergence",
    "delta_from_mu",
    "dpsgd",
    "epsilon_from_mu",
    "fit_gdp",
    "from_dp_accountant",
    "from_dp_event",
    "from_engine",
    "from_opacus",
    "from_opendp",
    "from_pld",
    "from_registry",
    "get_worst_case_regret",
    "grid",
    "integrations",
    "mu_from_advantage",
    "mu_from_epsilon",
    "mu_from_epsilon_delta",
    "mu_from_rho",
    "mu_from_tpr",
    "per_person",
    "plot",
    "register",
    "regret",
    "report",
    "rho_from_mu",
    "risk",
    "statement",
    "sweep",
    "table",
    "to_opendp",
    "tpr_from_mu",
    "tradeoff_curve",
    "verify",
]

# Where each name is that needs numpy.
_LAZY = {
    "gdpnum.budget": ["Budget", "OverBudget", "RenyiBudget"],
    "gdpnum.auditing": ["AuditResult", "OneRunAudit", "RunsAudit", "audit", "audit_one_run"],
    "gdpnum.calibration": ["Calibration", "DPSGDCalibration", "calibrate", "calibrate_dpsgd"],
    "gdpnum.comparison": ["Comparison", "compare"],
    "gdpnum.converter": ["PLDConverter", "get_worst_case_regret"],
    "gdpnum.formulas.conversions": [
        "advantage_from_mu",
        "delta_from_mu",
        "epsilon_from_mu",
        "mu_from_advantage",
        "mu_from_epsilon",
        "mu_from_epsilon_delta",
        "mu_from_rho",
        "mu_from_tpr",
        "rho_from_mu",
        "tpr_from_mu",
    ],
    "gdpnum.account": ["tradeoff_curve"],
    "gdpnum.kind": ["Kind", "Knob", "Missing", "register"],
    "gdpnum.curve.order": ["BlackwellOrder"],
    "gdpnum.measures.order": ["blackwell_order"],
    "gdpnum.curve.tradeoff": ["TradeoffCurve"],
    "gdpnum.dpsgd": ["CTDAccountant"],
    "gdpnum.integrations.dp_accounting": ["from_dp_accountant", "from_dp_event", "from_pld"],
    "gdpnum.integrations.engine_check": ["EngineCheck", "check_engine"],
    "gdpnum.integrations.engines": ["from_engine"],
    "gdpnum.integrations.opacus": ["from_opacus"],
    "gdpnum.integrations.opendp": ["from_opendp", "to_opendp"],
    "gdpnum.measures.divergence": ["DeltaDivergence", "delta_divergence"],
    "gdpnum.measures.gdp": ["GDPFit", "fit_gdp"],
    "gdpnum.measures.regret": ["regret"],
    "gdpnum.person": ["per_person"],
    "gdpnum.representations": [
        "GDP",
        "RDP",
        "ZCDP",
        "ApproxDP",
        "KnownCurve",
        "PureDP",
        "Representation",
        "TruncatedCDP",
    ],
    "gdpnum.statements": ["Statement", "statement"],
    "gdpnum.statements.registry": ["from_registry"],
    "gdpnum.statements.tabulate": ["table"],
    "gdpnum.statements.verify": ["Verification", "verify"],
    "gdpnum.sweeps": ["SweepTable", "grid", "sweep"],
}
_SUBMODULES = ("converter", "dpsgd", "integrations", "plot", "report", "risk")
_HOME = {name: module for module, names in _LAZY.items() for name in names}


def __getattr__(name: str) -> object:
    if name in _SUBMODULES:
        return importlib.import_module(f"gdpnum.{name}")
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value  # found directly from now on
    return value


def __dir__() -> list[str]:
    # What is public, and nothing that only this file needs.
    return sorted(__all__)
