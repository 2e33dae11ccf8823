"""The books over HTTP: accounts, quotes, grants, history, statements and their verification.

Read `asked`, `reach` and `views` first (what comes in, who sees it, what goes out), then `looking` and `writing`,
the tasks; `work` does them, `routes` sends for them.
"""
