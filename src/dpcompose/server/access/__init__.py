"""Who may do what: tokens, sessions, roles, and a record of every administrative act.

Read `rules` (roles and what each allows, as one table) and `guard` (which enforces it) first, then `people`, `tokens`,
`sessions` and `acts`, which are stored in `tables`.
"""
