"""A restored backup forgets what was spent. The machine that spent it does not."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import dpcompose as dpc
from dpcompose import ledger
from ledger.tampering import copied, restored

TENTH = dpc.BlackBox(epsilon=0.1)


def reopened(url: str, state: Path | None = None) -> ledger.Book:
    return ledger.open(url, state=state)


@pytest.fixture
def rewound(url: str) -> str:
    """Two tenths of ten spent and backed up, three more spent, the backup put back."""
    with ledger.open(url) as book:
        account = book.create("x", epsilon=1, unit="person", filter="basic")
        for i in range(2):
            account.spend(TENTH, key=f"{i}").commit()
        backup = copied(url)
        for i in range(2, 5):
            account.spend(TENTH, key=f"{i}").commit()
    restored(url, backup)
    return url


def test_a_restored_backup_is_refused_until_its_loss_is_booked(rewound: str) -> None:
    with reopened(rewound) as book:
        account = book.account("x")
        with pytest.raises(ledger.Rewound, match="restored from a backup"):
            account.spend(TENTH, key="new")
        assert any("rewound" in problem for problem in book.verify().problems)
        said = book.acknowledge(who="ops", why="the disk broke")
        assert said == ("'x': what was lost is booked as spent.",)
        assert account.used["epsilon"] == Fraction(5, 10)
        account.spend(TENTH, key="new")
        assert account.remaining(TENTH) == 4
        verdict = book.verify()
        assert verdict.holds, verdict.problems
        assert book.acknowledge(who="ops", why="again") == ()


def test_a_running_process_notices_as_well(url: str) -> None:
    with ledger.open(url) as book:
        account = book.create("x", epsilon=1, unit="person", filter="basic")
        account.spend(TENTH)
        backup = copied(url)
        account.spend(TENTH)
        restored(url, backup)
        with pytest.raises(ledger.Rewound):
            account.spend(TENTH)


def test_what_others_spent_from_the_backup_is_added(rewound: str, tmp_path: Path) -> None:
    with reopened(rewound, tmp_path / "another machine") as other:  # it has seen nothing, and is let in
        other.account("x").spend(TENTH, key="theirs")
    with reopened(rewound) as book:
        with pytest.raises(ledger.Rewound):
            book.account("x").spend(TENTH)
        book.acknowledge(who="ops", why="the disk broke")
        assert book.account("x").used["epsilon"] == Fraction(2 + 1 + 5, 10)  # never less than the 6 that were spent
        assert book.verify().holds


def test_an_account_that_the_backup_lacks_is_made_again(url: str) -> None:
    with ledger.open(url) as book:
        book.create("old", epsilon=1, unit="person", filter="basic")
        backup = copied(url)
        young = book.create("young", epsilon=1, unit="person", filter="basic", parent="old")
        alone = book.create("alone", epsilon=1, delta=1e-6, unit="person")
        young.spend(TENTH)
        alone.spend(dpc.Laplace(scale=10))
        spent = alone.used
    restored(url, backup)
    with reopened(url) as book:
        with pytest.raises(ledger.Rewound):
            book.account("young")
        with pytest.raises(ledger.Rewound):
            book.create("alone", epsilon=9, unit="person", filter="basic")
        assert len(book.acknowledge(who="ops", why="the disk broke")) == 5
        assert book.account("young").used["epsilon"] == book.account("old").used["epsilon"] == Fraction(1, 10)
        assert book.account("alone").used == spent
        verdict = book.verify()
        assert verdict.holds, verdict.problems


def test_a_mark_survives_a_torn_write(url: str, state: Path) -> None:
    with ledger.open(url) as book:
        account = book.create("x", epsilon=1, unit="person", filter="basic")
        for _ in range(3):
            account.spend(TENTH)
        path = state / book.id / f"{account.id}.mark"
        whole = book.desk.mark.recall(account.id)
        data = bytearray(path.read_bytes())
        newer = 0 if str(whole.height).encode() in data[:200] and whole.hash.encode() in data[:4096] else 4096
        data[newer + 50] ^= 1
        path.write_bytes(data)
        older = book.desk.mark.recall(account.id)
        assert older.height == whole.height - 2
        account.spend(TENTH)
        assert book.desk.mark.recall(account.id).height == whole.height + 2


def test_a_cancelled_hold_is_no_loss(url: str) -> None:
    with ledger.open(url) as book:
        account = book.create("x", epsilon=1, unit="person", filter="basic")
        account.reserve(TENTH, key="k").cancel()
        account.spend(TENTH)
    with reopened(url) as book:
        book.account("x").spend(TENTH)
        assert book.verify().holds
