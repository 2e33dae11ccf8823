"""What is known, one room a notion: how it composes and what it implies. Everything here states theorems.

Read `post`, then `approx` (what follows from ε and δ), `gdp`, `loss` (the law of the loss itself), `renyi`, `zcdp`,
`sampling`, and `batches` last. `sketches` holds what the published sketches promise.
"""

from dpcompose.theorems import approx, batches, bounded_range, gdp, loss, post, renyi, sampling, zcdp

__all__ = ["approx", "batches", "bounded_range", "gdp", "loss", "post", "renyi", "sampling", "zcdp"]
