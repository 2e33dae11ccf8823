"""What is left of an account after each charge, as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpcompose.ledger.history import Entry

if TYPE_CHECKING:
    from dpcompose.ledger.accounts import Account


@dataclass(frozen=True, slots=True)
class BurnDown:
    """The share of each cap that was left after each charge, in the present epoch."""

    account: str
    times: tuple[str, ...]
    left: dict[str, tuple[float, ...]]
    """By coordinate; coordinates with a cap of zero are left out."""

    def figure(self) -> Any:
        """The picture; it needs matplotlib."""
        from dpcompose import plots

        with plots.styled():
            picture = plots.figure()
            axes = picture.add_subplot()
            for name, shares in self.left.items():
                axes.step(range(len(shares)), [100 * share for share in shares], where="post", label=name)
            axes.set_ylim(0, 102)
            axes.set_xlim(left=0)
            axes.set_xlabel("charges and cancellations")
            axes.set_ylabel("left of the cap, %")
            axes.set_title(f"Budget of {self.account}")
            axes.legend()
        return picture


def burndown(account: Account) -> BurnDown:
    """The burn-down of an account, from every entry that changed its present epoch, also by accounts below it; of an
    account with blocks, that of the block with least left.
    """
    if account.mode == "blocks":
        return _of_blocks(account)
    number, rule = account.book.rules([account.id])[account.id]
    changes = list(_changes(account.book.tree_history(account), number))
    times = tuple(at for at, _ in changes)
    left: dict[str, tuple[float, ...]] = {}
    for place, name in enumerate(rule.coordinates):
        cap = rule.caps[place]
        if cap:
            total, shares = 0, [1.0]
            for _, change in changes:
                total += change[place]
                shares.append(1 - total / cap)
            left[name] = tuple(shares)
    return BurnDown(account.name, times, left)


def _of_blocks(account: Account) -> BurnDown:
    blocks = account.book.under(account)
    if not blocks:
        full: dict[str, tuple[float, ...]] = {
            name: (1.0,) for name, cap in zip(account.rule.coordinates, account.rule.caps, strict=True) if cap
        }
        return BurnDown(account.name, (), full)
    rows = account.book.present([block.id for block in blocks])
    return burndown(min(blocks, key=lambda block: rows[block.id].shares))


def _changes(entries: Sequence[Entry], epoch: int) -> list[tuple[str, list[int]]]:
    return [
        (entry.at, [int(n) for n in charge["change"]])
        for entry in entries
        for charge in entry.document.get("charges", ())
        if charge["epoch"] == epoch
    ]


__all__ = ["BurnDown", "burndown"]
