"""The command that starts the service and its page."""

from __future__ import annotations

from typing import Annotated

from dpcompose.cli.frame import examples
from dpcompose.cli.options import CommandOption
from dpcompose.cli.screen import show
from dpcompose.errors import DPError

NEEDED = {
    "sqlalchemy",
    "alembic",
    "psycopg",
    "rfc8785",
    "cryptography",
    "fastapi",
    "starlette",
    "pydantic",
    "uvicorn",
    "argon2",
    "prometheus_client",
    "jinja2",
}


@examples(
    "serve",
    "serve --port 9000 --store sqlite:///budget.db",
    "serve --host 0.0.0.0 --workers 4 --store postgresql://books@db/books",
)
def serve(
    port: Annotated[int, CommandOption(min=1, max=65535, help="Where it listens.")] = 8000,
    host: Annotated[str, CommandOption(metavar="ADDRESS", help="On which address; by default this machine only.")] = (
        "127.0.0.1"
    ),
    store: Annotated[
        str | None,
        CommandOption(
            metavar="URL", help="The books: sqlite:///file or postgresql://…; by default a file of the user."
        ),
    ] = None,
    rate: Annotated[int, CommandOption(min=1, help="Requests a minute that one token may make.")] = 1200,
    workers: Annotated[int, CommandOption(min=1, max=64, help="Processes that serve; each computes in its own.")] = 1,
    *,
    console: Annotated[bool, CommandOption("--console/--no-console", help="Whether the books have pages.")] = True,
    owner_token: Annotated[bool, CommandOption("--owner-token", help="Make another token of an owner first.")] = False,
) -> None:
    """Start the page and the HTTP API: explore, decide, and keep the books in a browser."""
    try:
        from dpcompose.server import serving
        from dpcompose.server.settings import Settings
    except ModuleNotFoundError as missing:
        if str(missing.name).partition(".")[0] not in NEEDED:
            raise
        raise DPError("The service needs more: install it with pip install 'dpcompose[server]'.") from None
    serving.free(host, port)
    books = store or serving.default_store()
    token = serving.opened(books, another=owner_token)
    if token is not None:
        show(f"owner token: {token}")
    show(f"The page is at http://{host}:{port}/ (Ctrl-C ends it).")
    serving.serve(Settings(store=books, console=console, per_minute=rate), host, port, workers)
