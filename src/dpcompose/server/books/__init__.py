"""The books over HTTP: accounts, quotes, grants, history, statements and their verification.

Read `asked` (what comes in) and `routes` (which address leads to which task of `app.books`); `work` is the process that
does the tasks.
"""
