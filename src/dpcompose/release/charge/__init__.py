"""The budgets that a release is charged to: in memory or in a file.

Read `totals` (what adds up), `allowance` (a budget in memory) and `plan` (a budget in a file, over `plan_file` and
`files`).
"""

from dpcompose.filters.charge import Budget, Charge, OverBudget, Protects
from dpcompose.release.charge.allowance import Allowance
from dpcompose.release.charge.plan import Plan

__all__ = ["Allowance", "Budget", "Charge", "OverBudget", "Plan", "Protects"]
