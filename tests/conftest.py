"""How the property tests draw their cases. `HYPOTHESIS_PROFILE=nightly` looks further."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "ci",
    derandomize=True,  # the same cases every time: a failure is about the change, not about luck
    deadline=None,  # timings never gate a test
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],  # a timing as well
)
settings.register_profile(
    "nightly",
    settings.get_profile("ci"),
    derandomize=False,
    max_examples=2000,
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
