"""What is known: one file a notion, how it composes and what it implies."""

from dpcompose.theorems import closed, gdp, loss, optimal, post, renyi, sampling, transform, zcdp

__all__ = ["closed", "gdp", "loss", "optimal", "post", "renyi", "sampling", "transform", "zcdp"]
