"""The command that starts the service and its page."""

from __future__ import annotations

from typing import Annotated

import typer

from dpcompose.cli.frame import examples
from dpcompose.cli.screen import show
from dpcompose.errors import DPError

NEEDED = {"fastapi", "starlette", "pydantic", "uvicorn", "argon2", "prometheus_client", "jinja2"}


@examples(
    "serve",
    "serve --port 9000 --store sqlite:///budget.db",
    "serve --host 0.0.0.0 --workers 4 --store postgresql://books@db/books",
)
def serve(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where it listens.")] = 8000,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="On which address; by default this machine only.")] = (
        "127.0.0.1"
    ),
    store: Annotated[
        str | None,
        typer.Option(metavar="URL", help="The books: sqlite:///file or postgresql://…; by default a file of the user."),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Processes that serve; each computes in its own.")] = 1,
    *,
    console: Annotated[bool, typer.Option("--console/--no-console", help="Whether the books have pages.")] = True,
) -> None:
    """Start the page and the HTTP API: explore, decide, and keep the books in a browser."""
    try:
        from dpcompose.server.serving import serve as run
        from dpcompose.server.settings import Settings
    except ModuleNotFoundError as missing:
        if str(missing.name).partition(".")[0] not in NEEDED:
            raise
        raise DPError("The service needs more: install it with pip install 'dpcompose[server]'.") from None
    show(f"The page is at http://{host}:{port}/ (Ctrl-C ends it).")
    run(Settings(store=store, console=console), host, port, workers)
