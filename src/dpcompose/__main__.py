"""`python -m dpcompose` is the command line."""

from __future__ import annotations

from dpcompose.cli import main

if __name__ == "__main__":
    main()
