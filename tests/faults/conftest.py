"""The stores of the ledger's own tests."""

from ledger.conftest import book, server, state, url  # noqa: F401 - fixtures
