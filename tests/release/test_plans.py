"""A budget in a file: charged whole or not at all, by one at a time, for one unit."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from fractions import Fraction
from pathlib import Path

import pytest

import dpcompose as dpc
from dpcompose import release
from dpcompose.release import Plan
from dpcompose.release.charge.files import exclusive

HEAD = "[budget]\nepsilon = 1\ndelta = 1e-6\n"
TENTH = dpc.Geometric(scale=10)


def plan(folder: Path, text: str = HEAD, unit: object = "user") -> Plan:
    path = folder / "plan.toml"
    path.write_text(text, encoding="utf-8")
    return Plan(path, unit)  # type: ignore[arg-type]


def test_ten_tenths_fit_and_no_more(tmp_path: Path) -> None:
    book = plan(tmp_path)
    for i in range(10):
        book.spend(TENTH, f"number {i}")
    assert book.allowance().charge.upper == 1
    with pytest.raises(release.OverBudget, match=r"the total would be ε = 1\.1"):
        book.spend(TENTH, "one more")
    with pytest.raises(release.OverBudget):
        book.check(TENTH, "one more")
    again = Plan(book.path, "user").allowance()
    assert again.spent == book.allowance().spent
    assert again.used == {"epsilon": (1, 1), "delta": (0, Fraction(1, 10**6))}


def test_a_check_charges_nothing(tmp_path: Path) -> None:
    book = plan(tmp_path)
    book.check(TENTH, "perhaps")
    assert book.path.read_text(encoding="utf-8") == HEAD


def test_a_plan_fixed_in_advance_composes_better_than_one_made_on_the_way(tmp_path: Path) -> None:
    spent = HEAD + f"[[spent]]\nmechanism = '{dpc.spec.dumps(50 * dpc.Geometric(scale=50))}'\n"
    on_the_way = plan(tmp_path, spent).allowance().charge.upper
    in_advance = plan(tmp_path, spent.replace("[[", "adaptivity = 'ADAPTIVE'\n[[", 1)).allowance().charge.upper
    assert in_advance < on_the_way == 1
    concentrated = plan(tmp_path, spent.replace("[[", "filter = 'ZCDP'\n[[", 1)).allowance()
    assert concentrated.used["rho"][0] < concentrated.used["rho"][1], "many small steps leave more room by ρ"
    with pytest.raises(dpc.DPError, match="promises ε = 1 at δ = 1e-6"):
        _ = concentrated.charge


@pytest.mark.parametrize("first, second", [("user", "house"), ("user", release.EVERY_ROW), (release.EVERY_ROW, "user")])
def test_a_file_serves_one_unit(tmp_path: Path, first: object, second: object) -> None:
    book = plan(tmp_path, unit=first)
    book.spend(TENTH, "first")
    with pytest.raises(dpc.DPError, match="does not add up"):
        Plan(book.path, second)  # type: ignore[arg-type]


def test_neighbours_of_two_kinds_do_not_mix(tmp_path: Path) -> None:
    book = plan(tmp_path)
    book.spend(TENTH, "first")
    with pytest.raises(dpc.DPError):
        book.spend(dpc.Geometric(scale=10, adjacency=dpc.REPLACE_ONE), "second")
    assert book.path.read_text(encoding="utf-8").count("[[spent]]") == 1


def test_names_with_any_letters_are_kept(tmp_path: Path) -> None:
    unit = 'a "b" \\ c\nd\te\x7f ε 😀'
    book = plan(tmp_path, unit=unit)
    book.spend(dpc.Geometric(scale=Fraction(100, 3)), f"count by {unit}")
    book.spend(TENTH, "again")
    assert book.allowance().spent.leaves() == ((dpc.Geometric(scale=Fraction(100, 3)), 1), (TENTH, 1))


def test_of_charges_at_the_same_time_as_many_get_in_as_fit(tmp_path: Path) -> None:
    book, refused = plan(tmp_path), []

    def charge() -> None:
        try:
            book.spend(dpc.Geometric(scale=4), "a quarter")
        except release.OverBudget as refusal:
            refused.append(refusal)

    threads = [threading.Thread(target=charge) for _ in range(7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 3
    assert book.allowance().charge.upper == 1
    assert not set(tmp_path.iterdir()) - {book.path, tmp_path / ".plan.toml.lock"}


HOLDING = """
import pathlib, sys, time
from dpcompose.release.charge.files import exclusive
with exclusive(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""


def test_one_at_a_time_and_a_killed_holder_blocks_nobody(tmp_path: Path) -> None:
    book = plan(tmp_path)
    holder = subprocess.Popen([sys.executable, "-c", HOLDING, str(book.path)], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(dpc.DPError, match="in use by another release"), exclusive(book.path, patience=0.05):
            pytest.fail("two at a time")
    finally:
        holder.kill()
        holder.communicate()
    book.spend(TENTH, "after a kill")
    assert book.allowance().used["epsilon"][0] == Fraction(1, 10)


def test_a_file_that_is_full_says_so(tmp_path: Path) -> None:
    book = plan(tmp_path, HEAD + "#" * (dpc.spec.MOST_CHARACTERS - len(HEAD) - 20))
    with pytest.raises(dpc.DPError, match="is full"):
        book.spend(TENTH, "one too many")
    assert not book.allowance().spent.parts


def test_a_delta_that_was_not_granted_is_refused(tmp_path: Path) -> None:
    book = plan(tmp_path, HEAD.replace("1e-6", "0"))
    with pytest.raises(release.OverBudget, match=r"δ = 1e-9, and δ = 0 is allowed"):
        book.check(dpc.NameAndShame(delta=1e-9), "a threshold")


def test_a_link_stays_a_link_and_the_rights_of_a_file_stay(tmp_path: Path) -> None:
    target = tmp_path / "real.toml"
    target.write_text(HEAD, encoding="utf-8")
    target.chmod(0o640)
    (tmp_path / "plan.toml").symlink_to(target)
    Plan(tmp_path / "plan.toml", "user").spend(TENTH, "through a link")
    assert (tmp_path / "plan.toml").is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert "[[spent]]" in target.read_text(encoding="utf-8")


def test_a_failed_write_charges_nothing_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book = plan(tmp_path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(dpc.DPError, match="nothing is charged: No space left"):
        book.spend(TENTH, "too much")
    assert book.path.read_text(encoding="utf-8") == HEAD
    assert not set(tmp_path.iterdir()) - {book.path, tmp_path / ".plan.toml.lock"}


KILLED = """
import os, sys
from dpcompose.release import Plan
import dpcompose as dpc
os.replace = lambda *_: os._exit(9)
Plan(sys.argv[1], "user").spend(dpc.Geometric(scale=10), "never seen")
"""


@pytest.mark.slow
def test_a_process_that_dies_on_the_way_leaves_the_file_whole(tmp_path: Path) -> None:
    book = plan(tmp_path)
    died = subprocess.run([sys.executable, "-c", KILLED, str(book.path)], check=False)
    assert died.returncode == 9
    assert book.path.read_text(encoding="utf-8") == HEAD
