"""Who pays: a budget in memory or in a file, and the one value that travels with every charge.

Read `totals` (what adds up), `allowance` (in memory) and `plan` (in a file, over `plan_file` and `files`).
"""

from dpcompose.filters.charge import Budget, Charge, OverBudget, Protects
from dpcompose.release.charge.allowance import Allowance
from dpcompose.release.charge.plan import Plan

__all__ = ["Allowance", "Budget", "Charge", "OverBudget", "Plan", "Protects"]
