"""The package: one version everywhere, extras that mean what they say, and a wheel that works where nothing else is."""

from __future__ import annotations

import os
import re
import subprocess
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

import dpcompose

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
QUESTION = ["epsilon", "30 * BlackBox(epsilon=0.1, delta=0.001)", "--delta", "0.05"]


def test_one_version_everywhere() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert dpcompose.__version__ == PROJECT["version"]
    assert re.search(rf"^version: {re.escape(PROJECT['version'])}$", citation, re.MULTILINE)
    newest = re.findall(r"^## (\d\S*?)[, ]", changelog, re.MULTILINE)[0]
    assert newest == PROJECT["version"]


def test_all_means_all() -> None:
    (said,) = EXTRAS["all"]
    named = set(re.fullmatch(r"dpcompose\[(.*)\]", said)[1].split(","))
    assert named == {"cli", "plot", "pandas", "polars", "data", "ledger", "server", "client"}
    assert named <= EXTRAS.keys()


def test_the_oldest_versions_are_those_that_are_declared() -> None:
    """`constraints-oldest.txt` pins the lower bound of everything that a user may install."""
    pinned = dict(
        line.split("==") for line in (ROOT / "constraints-oldest.txt").read_text().splitlines() if "==" in line
    )
    named = re.fullmatch(r"dpcompose\[(.*)\]", EXTRAS["all"][0])[1].split(",")
    needed = {*PROJECT["dependencies"], *(need for extra in named for need in EXTRAS[extra])} - {"dpcompose[ledger]"}
    for need in needed:
        found = re.fullmatch(r"([A-Za-z0-9_-]+)(?:\[\w+\])?>=([0-9.]+)", need)
        assert found, need
        least = pinned.pop(found[1].lower())
        assert least == found[2] or re.fullmatch(rf"{re.escape(found[2])}(\.0)+", least), need
    assert not pinned  # and nothing else


def run(*command: object, **more: object) -> str:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PIP_CONSTRAINT"))}
    ran = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, env=clean, **more)  # type: ignore[call-overload]
    assert ran.returncode == 0, ran.stderr[-2000:]
    return str(ran.stdout)


def python_in(folder: Path) -> Path:
    venv.create(folder, with_pip=True)
    return folder / ("Scripts" if os.name == "nt" else "bin") / "python"


PIP = ("-m", "pip", "--disable-pip-version-check", "--no-input")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel and the source distribution, made as an installer makes them."""
    folder = tmp_path_factory.mktemp("package")
    maker = python_in(folder / "maker")
    run(maker, *PIP, "install", "-q", "hatchling")
    run(maker, "-m", "hatchling", "build", "-d", folder / "dist", cwd=ROOT)
    return folder / "dist"


@pytest.mark.slow
def test_the_wheel_holds_the_package_and_nothing_else(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    sources = {
        str(path.relative_to(ROOT / "src"))
        for path in (ROOT / "src" / "dpcompose").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert sources <= names
    assert {name for name in names if not name.startswith("dpcompose-")} == sources
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert wheel.stat().st_size < 4_000_000


@pytest.mark.slow
def test_the_source_distribution_can_be_built_and_tested(built: Path) -> None:
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as held:
        names = {name.split("/", 1)[1] for name in held.getnames() if "/" in name}
    assert {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "Makefile", "constraints.txt"} <= names
    assert "src/dpcompose/py.typed" in names
    assert "tests/house/test_package.py" in names
    assert not [name for name in names if "__pycache__" in name or name.startswith((".git/", ".venv", "docs/_build"))]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["*.whl", "*.tar.gz"])
def test_it_answers_in_an_empty_environment(built: Path, tmp_path: Path, kind: str) -> None:
    (package,) = built.glob(kind)
    python = python_in(tmp_path / "empty")
    run(python, *PIP, "install", "-q", "-c", ROOT / "constraints.txt", f"{package}[cli]")
    assert "ε ∈ [0.846302, 0.846303]" in run(python, "-m", "dpcompose", *QUESTION, cwd=tmp_path)
    modules = run(python, "-c", "import dpcompose, sys; print(*sys.modules)", cwd=tmp_path).split()
    assert "matplotlib" not in modules
    asked = "import dpcompose as d; print(d.epsilon(d.Gaussian(noise_std=2), 1e-6))"
    assert "ε ∈ [2.25408, 2.25409]" in run(python, "-c", asked, cwd=tmp_path)


@pytest.mark.slow
def test_all_extras_can_be_resolved_together(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    python = python_in(tmp_path / "empty")
    said = run(python, *PIP, "install", "--dry-run", "-c", ROOT / "constraints.txt", f"{wheel}[all]")
    would = said.lower().replace("_", "-")
    assert all(name in would for name in ("duckdb", "pyarrow", "matplotlib", "sqlalchemy", "fastapi", "click"))
