"""What an attack has shown: a lower bound on mu beside accounting's upper one.

`audit` takes scores of many runs, `audit_one_run` those of many canaries in one run. ``scores``
checks them, ``roc`` counts, ``cuts`` chooses thresholds honestly, ``region`` says which error rates
the counts leave, ``guesses`` what right guesses refute, ``claim`` reads what is claimed,
``result`` holds what was shown and ``words`` says it.
"""

from gdpnum.auditing.one_run import audit_one_run
from gdpnum.auditing.result import AuditResult, OneRunAudit, RunsAudit
from gdpnum.auditing.runs import audit

__all__ = ["AuditResult", "OneRunAudit", "RunsAudit", "audit", "audit_one_run"]
