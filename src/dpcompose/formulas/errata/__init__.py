"""Every statement printed in the source documents that does not hold, with numbers computed here that show it.

Read `erratum` (what a misprint is) first, then a paper: `smith`, `dwork_rothblum_vadhan`, `kairouz_oh_viswanath` (with
`kov_layout`), `mironov` and `renyi_page`.
"""

from __future__ import annotations

from dpcompose.formulas.errata import (
    dwork_rothblum_vadhan,
    kairouz_oh_viswanath,
    kov_layout,
    mironov,
    renyi_page,
    smith,
)
from dpcompose.formulas.errata.erratum import Counterexample, Erratum, Severity, SourceDocument

ERRATA: tuple[Erratum, ...] = (
    *dwork_rothblum_vadhan.ERRATA,
    *renyi_page.ERRATA,
    *mironov.ERRATA,
    *sorted(kairouz_oh_viswanath.ERRATA + kov_layout.ERRATA, key=lambda e: int(e.id[1:])),
    *smith.ERRATA,
)

__all__ = ["ERRATA", "Counterexample", "Erratum", "Severity", "SourceDocument"]
