"""The public face: what `import dpcompose` brings, shows and costs."""

from __future__ import annotations

import inspect
import subprocess
import sys
from types import ModuleType

import pytest

import dpcompose

# Heavy, or an extra: brought in by the function that needs it, never by the first import.
HEAVY = {"sqlalchemy", "matplotlib", "click", "rich", "pandas", "scipy.optimize", "mpmath", "fastapi", "httpx"}
PUBLIC = sorted(getattr(dpcompose, "__all__", ()))


def after(statement: str) -> set[str]:
    """The modules a fresh interpreter holds after one statement."""
    code = f"import sys\n{statement}\nprint(*sys.modules, sep='\\n')"
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return set(run.stdout.split())


def test_the_first_import_brings_nothing_heavy() -> None:
    modules = after("import dpcompose")
    assert "dpcompose" in modules
    assert not HEAVY & modules


def test_a_heavy_import_would_be_seen() -> None:
    assert HEAVY & after("import mpmath")


def test_what_is_exported_is_what_is_announced() -> None:
    shown = {
        name
        for name, value in vars(dpcompose).items()
        if not name.startswith("_") and not isinstance(value, ModuleType) and name != "annotations"
    }
    announced = [name for name in PUBLIC if not name.startswith("_")]
    assert len(set(announced)) == len(announced)
    assert shown <= set(announced)
    assert not [name for name in announced if not hasattr(dpcompose, name)]


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_object_says_what_it_is(name: str) -> None:
    value = getattr(dpcompose, name)
    if not (inspect.isclass(value) or inspect.isroutine(value) or inspect.ismodule(value)):
        kind = type(value)  # a constant is one of a public kind, which describes it, and is called the same there
        assert getattr(dpcompose, kind.__name__) is kind
        assert getattr(kind, name) is value
        value = kind
    assert described(value)
    methods = inspect.getmembers(value, inspect.isfunction) if inspect.isclass(value) else []
    assert not [method for method, f in methods if not method.startswith("_") and not inspect.getdoc(f)]


def described(value: object) -> bool:
    """A docstring that someone wrote: a dataclass without one is given its signature."""
    text = inspect.getdoc(value) or ""
    return bool(text) and not text.startswith(f"{getattr(value, '__name__', '')}(")
