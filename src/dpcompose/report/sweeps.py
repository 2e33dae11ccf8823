"""Curves as sheets: every theorem along an axis."""

from __future__ import annotations

from dpcompose.curves.sweeps import Growth, PrivacyProfile
from dpcompose.report.readings import growth, profile
from dpcompose.report.sheet import Sheet, sheet


@sheet.register
def _(result: Growth) -> Sheet:
    return growth(result)


@sheet.register
def _(result: PrivacyProfile) -> Sheet:
    return profile(result)
