"""The referee: accountants held against numbers that are certain.

A fixed, numbered set of works, each with the interval in which its ε surely lies, is put to every accountant. An answer
below the interval promises more privacy than there is; one above it is loose; no answer is a failure. To test another
accountant, write an `Adapter`, in about thirty lines.

Read `works` (what is asked, with the truth), `adapter` (what an accountant must offer) and `adapters`, then `judging`
and `telling`.
"""

from __future__ import annotations

from dpcompose.referee.adapter import Adapter, NotOffered
from dpcompose.referee.adapters import ADAPTERS, named
from dpcompose.referee.judging import Cell, Sheet, judge
from dpcompose.referee.telling import told
from dpcompose.referee.works import VERSION, Work, works

__all__ = ["ADAPTERS", "VERSION", "Adapter", "Cell", "NotOffered", "Sheet", "Work", "judge", "named", "told", "works"]
