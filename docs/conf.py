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

extensions = [
    "myst_parser",
    "sphinx_copybutton",
    "mathml",
    "house_style",
    "generate",
    "gallery",
    "engine_pictures",
    "notebooks",
]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
myst_enable_extensions = ["amsmath", "attrs_block", "attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
myst_dmath_double_inline = True
suppress_warnings = ["config.cache", "ref.python"]  # two packages may have a class of the same name

html_theme = "furo"
html_title = "dpcompose"
html_math_renderer = "mathml"
html_show_sphinx = False
html_static_path = ["_static"]
html_favicon = "../src/dpcompose/server/pages/assets/icon.svg"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b5c8e", "color-brand-content": "#0b5c8e"},
    "dark_css_variables": {"color-brand-primary": "#6cb8e6", "color-brand-content": "#6cb8e6"},
}
copybutton_exclude = ".linenos, .gp, .go"  # what is copied can be run: neither prompts nor outputs
maximum_signature_line_length = 72
add_module_names = False
python_use_unqualified_type_names = True
html_copy_source = False
