"""The packages that are compared: how each is installed, and which worker speaks for it."""

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent

#: The name of this library in every table.
OURS = "gdpnum"


@dataclass(frozen=True)
class Package:
    """One row of a comparison.

    ``steps`` are the arguments of `pip install`, one list per call; packages of the same
    ``environment`` share it. ``module`` is what a user imports.
    """

    environment: str
    steps: tuple[tuple[str, ...], ...]
    worker: str
    module: str


# gdpnum 0.1.2 and riskcal stand on dp-accounting; all get the same version of it.
_DP_ACCOUNTING = "dp-accounting==0.6.0"

# torch first and by version: what depends on it would pull a build with gigabytes of CUDA.
_OPACUS = (("torch==2.13.0",), ("opacus==1.6.0",))

PACKAGES = {
    # `import gdpnum` alone loads next to nothing; the module of the fit loads what peers load.
    OURS: Package("ours", (("--editable", str(ROOT)),), "gdpnum_worker", "gdpnum.measures.gdp"),
    "gdpnum 0.1.2": Package(
        "gdpnum-0.1.2",
        (("gdpnum==0.1.2", _DP_ACCOUNTING),),
        "gdpnum_published_worker",
        "gdpnum.dpsgd",
    ),
    "riskcal": Package(
        "riskcal",
        (("riskcal==1.5.1", _DP_ACCOUNTING),),
        "riskcal_worker",
        "riskcal.accountants",
    ),
    "dp-accounting": Package(
        "dp-accounting",
        ((_DP_ACCOUNTING,),),
        "dp_accounting_worker",
        "dp_accounting.pld.privacy_loss_distribution",
    ),
    "prv-accountant": Package(
        "prv-accountant",
        (("prv-accountant==0.2.0",),),
        "prv_accountant_worker",
        "prv_accountant",
    ),
    # With its optional compiler, which its README recommends for speed.
    "PLD_accounting": Package(
        "PLD_accounting",
        (("PLD_accounting[performance]==2.0", _DP_ACCOUNTING),),
        "pld_accounting_worker",
        "PLD_accounting",
    ),
    "Opacus PRV": Package("opacus", _OPACUS, "opacus_prv_worker", "opacus.accountants"),
    "Opacus RDP": Package("opacus", _OPACUS, "opacus_rdp_worker", "opacus.accountants"),
}

PEERS = [name for name in PACKAGES if name != OURS]
