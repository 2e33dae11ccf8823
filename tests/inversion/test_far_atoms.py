"""What lies beyond the last cell of a finite law, under the other input, against many digits."""

from __future__ import annotations

import numpy as np
from mpmath import mp, mpf

from dpcompose.inversion.few_steps.atom_cells import AtomStep
from dpcompose.inversion.few_steps.cells import Mesh

DIGITS = 60


def test_what_the_other_input_has_beyond_the_last_cell_is_enclosed() -> None:
    """Of a few atoms, however large their losses: as products and, where no float holds them, as logarithms."""
    random = np.random.default_rng(11)
    lost = 0
    for _ in range(2000):
        losses = np.sort(random.uniform(1.0, 680.0, 3))
        weights = 10.0 ** random.uniform(-280.0, 0.0, 3)
        found = AtomStep(losses, weights, 0.0, 0.0).cut(Mesh(0.0, 0.5, 0, 1), -690.0)
        with mp.workdps(DIGITS):
            truth = mp.fsum(mpf(float(w)) * mp.exp(-mpf(float(x))) for w, x in zip(weights, losses, strict=True))
            assert found.over_image.lower <= truth <= found.over_image.upper
            assert abs(found.log_over_image - mp.log(truth)) < 1e-9
            lost += truth < 1e-320
    assert lost > 100
