"""What is known: one file a notion, how it composes and what it implies."""

from dpcompose.theorems import (
    below_one,
    closed,
    discrete_gaussian_curve,
    finite_curves,
    gdp,
    loss,
    optimal,
    post,
    renyi,
    sampled_curves,
    sampled_normal_curve,
    sampling,
    top,
    transform,
    zcdp,
)

__all__ = [
    "below_one",
    "closed",
    "discrete_gaussian_curve",
    "finite_curves",
    "gdp",
    "loss",
    "optimal",
    "post",
    "renyi",
    "sampled_curves",
    "sampled_normal_curve",
    "sampling",
    "top",
    "transform",
    "zcdp",
]
