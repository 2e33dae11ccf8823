"""The books over HTTP: accounts, quotes, grants, history, statements and their verification.

Read `asked` (what comes in), `reach` (which accounts a caller may see) and `views` (what goes out) first, then
`looking` and `writing` (one task for each request); `work` runs the tasks, `routes` maps addresses to them.
"""
