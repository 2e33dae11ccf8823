"""Who may do what: tokens, sessions, roles, and a record of every administrative act."""
