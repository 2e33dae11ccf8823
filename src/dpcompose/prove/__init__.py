"""Proving: from a mechanism to claims, from claims to an enclosure, and every theorem side by side.

Read `claims` (what is known of parts and of the whole, as it is asked for), with `parts` and `derivations` (which
theorems in which order); then `answer`, with `narrowing` and `outdone` (whom to ask, how closely), and `compare`.
`short_forms` prints answers in little space.
"""
