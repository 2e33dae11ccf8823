"""Which noise suits many queries best, and how a budget is shared among queries of different importance."""

from __future__ import annotations

from dpcompose import advice, spec
from dpcompose.app.reading import Exact, exactly
from dpcompose.app.reply import Reply
from dpcompose.errors import InvalidParameter
from dpcompose.mechanisms.laplace import SENSITIVITY
from dpcompose.numerics.enclosure import Real
from dpcompose.parameters import DELTA, EPSILON

MOST_WEIGHTS = 10_000


def advise(
    queries: Exact, epsilon: Exact, delta: Exact = 0, sensitivity: Exact = 1, *, integer: bool | None = None
) -> Reply:
    """Every kind of noise for this many equal queries, under exact composition."""
    from dpcompose.curves import noises

    found = advice.advise(
        queries=int(exactly("queries", queries, advice.QUERIES)),
        epsilon=exactly("epsilon", epsilon, EPSILON),
        delta=exactly("delta", delta, DELTA),
        sensitivity=exactly("sensitivity", sensitivity, SENSITIVITY),
        integer=integer,
    )
    return Reply(found, pictured=lambda: noises(found))


def share(weights: str, epsilon: Exact, delta: Exact = 0, sensitivities: str | None = None) -> Reply:
    """A budget split among weighted queries so that the weighted sum of their variances is least."""
    found = advice.split(
        listed("weights", weights),
        epsilon=exactly("epsilon", epsilon, EPSILON),
        delta=exactly("delta", delta, DELTA),
        sensitivities=None if sensitivities is None else listed("sensitivities", sensitivities),
    )
    return Reply(found)


def listed(name: str, text: str) -> list[Real]:
    """The numbers of a list such as `1,4,16`, each exactly."""
    given = text.split(",", maxsplit=MOST_WEIGHTS)
    if len(given) > MOST_WEIGHTS:
        raise InvalidParameter(f"the number of {name}", "more", f"at most {MOST_WEIGHTS}")
    return [spec.number(name, one) for one in given]
