"""Loads the profile of the property tests before the first of them is read."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

import cases  # noqa: F401 - loads the profile

# Workers of pytest-xdist are told a width, and commands that are run in a test would wrap what they say to it.
os.environ.pop("COLUMNS", None)

# What a book remembers of its stores is no business of the machine that runs the tests.
os.environ["DPCOMPOSE_STATE"] = tempfile.mkdtemp(prefix="dpcompose-state-")
atexit.register(shutil.rmtree, os.environ["DPCOMPOSE_STATE"], ignore_errors=True)
