"""Proving: from a mechanism to claims, from claims to an enclosure, and every theorem side by side.

Read `claims` (what is known of parts and of the whole, derived only when asked for), with `parts` and `derivations`
(which theorems, in which order); then `answer`, with `narrowing`, `glances`, `outdone` and `rigor` (which claims to
evaluate, and how closely), `greatest` (δ = 0), and `compare`. `short_forms` prints answers in little space.
"""
