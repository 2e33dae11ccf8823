"""The source, read as a tree: what it imports and what it builds."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "dpcompose"
FILES = sorted(SOURCE.rglob("*.py"))


@cache
def trees() -> dict[str, ast.Module]:
    """Every file by its path, parsed once."""
    return {str(path.relative_to(SOURCE)): ast.parse(path.read_text(encoding="utf-8")) for path in FILES}


def where(seen: Callable[[ast.Module], object]) -> list[str]:
    """The files in which something is seen; all of them are looked at."""
    assert len(trees()) > 200
    return [name for name, tree in trees().items() if seen(tree)]


def imported(tree: ast.AST) -> Iterator[str]:
    """Every module a tree may import, also inside functions; `from a import b` may mean `a.b`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def called(tree: ast.AST) -> Iterator[str]:
    """The last name of everything that is called."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = node.func
            if isinstance(function, ast.Subscript):  # Claim[ZCDP](...)
                function = function.value
            if isinstance(function, ast.Name | ast.Attribute):
                yield function.id if isinstance(function, ast.Name) else function.attr


def uses_weak_randomness(tree: ast.AST) -> bool:
    dotted = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr == "random"]
    written = {node.value.id for node in dotted if isinstance(node.value, ast.Name)}
    return bool({"random", "numpy.random"} & set(imported(tree)) or {"np", "numpy"} & written)


def imports_the_root(tree: ast.AST) -> bool:
    """`import dpcompose`, or a name taken from the root that is no module of its own."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and any(alias.name == "dpcompose" for alias in node.names):
            return True
        if isinstance(node, ast.ImportFrom) and node.module == "dpcompose" and not node.level:
            homes = {path.stem for path in SOURCE.iterdir()}
            if any(alias.name not in homes for alias in node.names):
                return True
    return False


def when_it_runs(node: ast.AST) -> Iterator[ast.AST]:
    """Every node of a tree, except what only a type checker reads."""
    for inside in ast.iter_child_nodes(node):
        if not (isinstance(inside, ast.If) and isinstance(inside.test, ast.Name) and inside.test.id == "TYPE_CHECKING"):
            yield inside
            yield from when_it_runs(inside)


@cache
def needs() -> dict[str, set[str]]:
    """For every module of the library the others that it imports, also inside functions."""
    homes = {name: ".".join(("dpcompose", *Path(name).with_suffix("").parts)) for name in trees()}
    homes = {name: home.removesuffix(".__init__") for name, home in homes.items()}
    known, found = set(homes.values()), {}
    for name, tree in trees().items():
        taken = [node for node in when_it_runs(tree) if isinstance(node, ast.ImportFrom)]
        named = [(node.module or "", f"{node.module}.{alias.name}") for node in taken for alias in node.names]
        found[homes[name]] = {inside if inside in known else outside for outside, inside in named} & known - {
            homes[name]
        }
    return found


def makes_claims(tree: ast.AST) -> bool:
    return "Claim" in set(called(tree))


@pytest.mark.slow
def test_noise_never_comes_from_a_weak_generator() -> None:
    assert not where(uses_weak_randomness)


def test_only_the_kernel_makes_claims() -> None:
    assert where(makes_claims) == ["kernel.py"]


@pytest.mark.slow
def test_no_module_goes_round_the_layers_through_the_root() -> None:
    assert not where(imports_the_root)


def test_no_module_needs_itself() -> None:
    """There is an order in which every module comes after those that it imports, also inside functions."""
    assert len(list(TopologicalSorter(needs()).static_order())) == len(FILES)


def test_a_cycle_is_seen() -> None:
    with pytest.raises(CycleError):
        list(TopologicalSorter({**needs(), "dpcompose.errors": {"dpcompose.cli.frame"}}).static_order())


def test_every_module_says_what_it_is() -> None:
    assert not where(lambda tree: not ast.get_docstring(tree))


@pytest.mark.parametrize(
    "text",
    [
        "import random",
        "from random import gauss",
        "from numpy import random",
        "import numpy as np\nnp.random.rand()",
    ],
)
def test_weak_randomness_is_seen(text: str) -> None:
    assert uses_weak_randomness(ast.parse(text))


@pytest.mark.parametrize("text", ["Claim(a, b)", "kernel.Claim(a)", "Claim[ZCDP](a)"])
def test_a_forged_claim_is_seen(text: str) -> None:
    assert makes_claims(ast.parse(text))


@pytest.mark.parametrize("text", ["import dpcompose", "import dpcompose as dpc", "from dpcompose import Gaussian"])
def test_an_import_of_the_root_is_seen(text: str) -> None:
    assert imports_the_root(ast.parse(text))
    assert not imports_the_root(ast.parse("from dpcompose.errors import DPError\nfrom dpcompose import errors"))
