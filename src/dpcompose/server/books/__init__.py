"""The books over HTTP: accounts, quotes, grants, history, statements and their verification."""
