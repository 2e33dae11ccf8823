"""What the books refuse, as a branch of the tree of refusals.

```
DPError
└── LedgerError
    ├── Refused          it does not fit; carries the scope, what is left, and what would still fit
    ├── KeyConflict      the key was used for something else
    ├── WrongState       a step that the protocol does not allow now
    ├── Rewound          the store is older than what was already seen of it
    ├── Uncertain        nobody knows whether it was charged; ask again under the same key
    └── StoreError       the store cannot be used: not there, full, newer, or not ours
```
"""

from __future__ import annotations

from dpcompose.errors import DPError
from dpcompose.filters.charge import OverBudget


class LedgerError(DPError):
    """Anything the books refuse to do, in one sentence."""


class Refused(LedgerError, OverBudget):
    """A charge that does not fit. The message is computed from public parameters only."""

    def __init__(self, sentence: str, *, scope: str = "", left: object = None, fits: object = None) -> None:
        """State the reason, the account that refuses, what it has left, and what would still fit."""
        super().__init__(sentence)
        self.scope, self.left, self.fits = scope, left, fits


class KeyConflict(LedgerError):
    """A key that was already used for another request."""


class WrongState(LedgerError):
    """A step that the protocol does not allow in the grant's present state."""


class Rewound(LedgerError):
    """A store that is older than what this machine has seen of it: restored from a backup, or cut."""


class Uncertain(LedgerError):
    """A charge whose reply was lost; asking again under the same key finds out, and charges at most once."""


class StoreError(LedgerError):
    """A store that cannot be used."""


__all__ = ["KeyConflict", "LedgerError", "Refused", "Rewound", "StoreError", "Uncertain", "WrongState"]
