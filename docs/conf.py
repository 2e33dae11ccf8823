"""The pages: Sphinx, MyST and furo. Nothing is fetched, neither when building nor when reading."""

from __future__ import annotations

import sys
from importlib.metadata import version as installed
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

project = "dpcompose"
author = "the dpcompose authors"
copyright = author
version = release = installed("dpcompose")

extensions = ["myst_parser", "mathml", "generate", "gallery", "engine_pictures"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
myst_dmath_double_inline = True
suppress_warnings = ["config.cache"]

html_theme = "furo"
html_title = "dpcompose"
html_math_renderer = "mathml"
html_show_sphinx = False
html_copy_source = False
