"""Who may do what: tokens, sessions, roles, and a record of every administrative act.

Read `rules` (one table) and `guard` (which keeps it) first, then `people`, `tokens`, `sessions` and `acts`;
`routes` and `tables` hold them together.
"""
