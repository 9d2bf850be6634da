"""A pytest plugin: gdpnum's accountant in the place of dp-accounting's, before tests are imported.

``python -m pytest -p in_place`` with this folder on the path. Every accountant of dp-accounting's
that a test makes, by whichever name, is then a `GdpnumAccountant`.
"""

import dp_accounting

from gdpnum.integrations.dp_accounting import GdpnumAccountant

dp_accounting.pld.PLDAccountant = GdpnumAccountant
dp_accounting.pld.pld_privacy_accountant.PLDAccountant = GdpnumAccountant
dp_accounting.rdp.RdpAccountant = GdpnumAccountant
dp_accounting.rdp.rdp_privacy_accountant.RdpAccountant = GdpnumAccountant
