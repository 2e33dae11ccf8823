"""What follows from (ε, δ) alone.

Read `steps` (the numbers of a composition), `closed_forms` (bounds with pencil and paper), `optimal` (the exact
optimum), `recipes` (their inverses) and `groups` (several records at once).
"""
