"""The package: one version everywhere, extras that mean what they say, and a wheel that works where nothing else is."""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import dpcompose

ROOT = Path(__file__).parents[2]
DECLARED = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT, BUILT_WITH = DECLARED["project"], DECLARED["build-system"]["requires"]
EXTRAS = PROJECT["optional-dependencies"]
EVERY = tuple(re.fullmatch(r"dpcompose\[(.*)\]", EXTRAS["all"][0])[1].split(","))
QUESTION = ["epsilon", "30 * BlackBox(epsilon=0.1, delta=0.001)", "--delta", "0.05"]


def test_one_version_everywhere() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert dpcompose.__version__ == PROJECT["version"]
    assert re.search(rf"^version: {re.escape(PROJECT['version'])}$", citation, re.MULTILINE)
    newest = re.findall(r"^## (\d\S*?)[, ]", changelog, re.MULTILINE)[0]
    assert newest == PROJECT["version"]


def test_all_means_all() -> None:
    assert set(EVERY) == {"cli", "plot", "pandas", "polars", "data", "ledger", "server", "client"}
    assert set(EVERY) <= EXTRAS.keys()


def test_the_oldest_versions_are_those_that_are_declared() -> None:
    """`constraints-oldest.txt` pins the lower bound of everything that a user may install."""
    pinned = dict(
        line.split("==") for line in (ROOT / "constraints-oldest.txt").read_text().splitlines() if "==" in line
    )
    needed = {*PROJECT["dependencies"], *(need for extra in EVERY for need in EXTRAS[extra])} - {"dpcompose[ledger]"}
    for need in needed:
        found = re.fullmatch(r"([A-Za-z0-9_-]+)(?:\[\w+\])?>=([0-9.]+)", need)
        assert found, need
        least = pinned.pop(found[1].lower())
        assert least == found[2] or re.fullmatch(rf"{re.escape(found[2])}(\.0)+", least), need
    assert not pinned  # and nothing else


def needed_by(name: str, extras: tuple[str, ...] = ()) -> Iterator[str]:
    """What a distribution needs on this machine, and what that needs in its turn."""
    for line in importlib.metadata.requires(name) or ():
        need = Requirement(line)
        if any(need.marker is None or need.marker.evaluate({"extra": extra}) for extra in (*extras, "")):
            yield canonicalize_name(need.name)
            if need.name != "dpcompose":
                yield from needed_by(need.name, tuple(need.extras))


def test_what_all_needs_is_pinned_with_its_hashes() -> None:
    """`requirements-all.txt`: the versions of `constraints.txt`, each with the hash of every file."""
    blocks = (ROOT / "requirements-all.txt").read_text().replace("\\\n", "").splitlines()
    pins = dict(re.match(r"([\w.-]+)==([^\s;]+)", block).groups() for block in blocks)
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    known = {canonicalize_name(name): version for name, version in (line.split("==") for line in lines)}
    assert pins == {name: known[name] for name in pins}
    assert all(re.search(r" --hash=sha256:[0-9a-f]{64}( |$)", block) for block in blocks)
    assert {*needed_by("dpcompose", EVERY)} - {"dpcompose"} <= pins.keys()


def run(*command: object, **more: object) -> str:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PIP_CONSTRAINT"))}
    ran = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, env=clean, **more)  # type: ignore[call-overload]
    assert ran.returncode == 0, ran.stderr[-2000:]
    return str(ran.stdout)


def python_in(folder: Path) -> Path:
    """An environment with nothing in it."""
    venv.create(folder)
    return folder / ("Scripts" if os.name == "nt" else "bin") / "python"


def pip(python: Path, *what: object) -> None:
    """Let the pip of the tests do something there."""
    run(sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--python", python, *what)


def install(python: Path, *what: object) -> None:
    """What is never imported need not be compiled."""
    pip(python, "install", "-q", "--no-compile", *what)


@pytest.fixture(scope="module")
def maker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment that holds what is said to build the package, and nothing else."""
    python = python_in(tmp_path_factory.mktemp("maker"))
    install(python, *BUILT_WITH)
    return python


@pytest.fixture(scope="module")
def built(maker: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel and the source distribution, made as an installer makes them."""
    folder = tmp_path_factory.mktemp("package")
    run(maker, "-m", "hatchling", "build", "-d", folder, cwd=ROOT)
    return folder


def contents(wheel: Path) -> dict[str, bytes]:
    """What is in it."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


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
    assert {
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "Makefile",
        "constraints.txt",
        "requirements-all.txt",
    } <= names
    assert "src/dpcompose/py.typed" in names
    assert "tests/house/test_package.py" in names
    assert not [name for name in names if "__pycache__" in name or name.startswith((".git/", ".venv", "docs/_build"))]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["clone", "*.tar.gz"])
def test_whatever_is_installed_is_the_same_wheel(built: Path, maker: Path, tmp_path: Path, kind: str) -> None:
    package = ROOT if kind == "clone" else next(built.glob(kind))
    pip(maker, "wheel", "-q", "--no-build-isolation", "--no-deps", "-w", tmp_path, package)
    assert contents(*tmp_path.glob("*.whl")) == contents(*built.glob("*.whl"))


@pytest.mark.slow
def test_it_answers_in_an_empty_environment(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    python = python_in(tmp_path / "empty")
    install(python, "-c", ROOT / "constraints.txt", wheel)
    modules = run(python, "-c", "import dpcompose, sys; print(*sys.modules)", cwd=tmp_path).split()
    assert "matplotlib" not in modules
    asked = "import dpcompose as d; print(d.epsilon(d.Gaussian(noise_std=2), 1e-6))"
    assert "ε ∈ [2.25408, 2.25409]" in run(python, "-c", asked, cwd=tmp_path)
    bare = subprocess.run([python, "-m", "dpcompose", *QUESTION], capture_output=True, text=True, check=False)
    assert (bare.returncode, "'dpcompose[cli]'" in bare.stderr) == (2, True)
    install(python, "-c", ROOT / "constraints.txt", f"{wheel}[cli]")
    assert "ε ∈ [0.846302, 0.846303]" in run(python, "-m", "dpcompose", *QUESTION, cwd=tmp_path)


@pytest.mark.slow
def test_all_does_everything_in_an_environment_with_what_it_needs(built: Path, tmp_path: Path) -> None:
    """Every file of every distribution that is declared is linked there, as pip has installed it for these tests."""
    python = python_in(tmp_path / "empty")
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    for name in {*needed_by("dpcompose", EVERY)} - {"dpcompose"}:
        for file in importlib.metadata.files(name) or ():
            if ".." not in file.parts:
                (site / file).parent.mkdir(parents=True, exist_ok=True)
                (site / file).symlink_to(str(file.locate()))
    install(python, "--no-index", "--no-deps", *built.glob("*.whl"))
    pip(python, "check")
    (tmp_path / "people.csv").write_text("id\n1\n2\n", encoding="utf-8")
    ask = (python, "-m", "dpcompose")
    assert "ε ≤ 1 at δ = 0" in run(
        *ask, "release", "count", "people.csv", "--unit", "id", "--epsilon", "1", cwd=tmp_path
    )
    run(*ask, "region", "Laplace(scale=1)", "--out", "region.svg", cwd=tmp_path)
    assert "</svg>" in (tmp_path / "region.svg").read_text(encoding="utf-8")
    assert "is ready" in run(*ask, "ledger", "init", "--store", "sqlite:///book.db", cwd=tmp_path)
    run(python, "-c", "import dpcompose.client, dpcompose.server.application", cwd=tmp_path)
