"""The first schema: seven tables, and triggers that forbid changing or deleting what happened."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

GROWING = ("book", "account", "epoch", "entry", "checkpoint")
"""Tables whose rows are only ever added."""


def upgrade() -> None:
    """Make the tables, then the triggers."""
    op.create_table(
        "book",
        sa.Column("id", sa.Integer, sa.CheckConstraint("id = 1"), primary_key=True),
        sa.Column("store", sa.Text, nullable=False),
        sa.Column("created", sa.Text, nullable=False),
    )
    op.create_table(
        "account",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("parent", sa.Integer, sa.ForeignKey("account.id")),
        sa.Column("chain", sa.Integer, nullable=False),
        sa.Column("terms", sa.Text, nullable=False),
    )
    op.create_table(
        "epoch",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("account", sa.Integer, sa.ForeignKey("account.id"), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("rule", sa.Text, nullable=False),
        sa.UniqueConstraint("account", "number"),
    )
    op.create_table(
        "balance",
        sa.Column("epoch", sa.Integer, sa.ForeignKey("epoch.id"), primary_key=True, autoincrement=False),
        sa.Column("place", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("cap", sa.BigInteger, nullable=False),
        sa.Column("used", sa.BigInteger, nullable=False),
        sa.CheckConstraint("used >= 0 AND used <= cap", name="within_the_cap"),
    )
    op.create_table(
        "head",
        sa.Column("chain", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("height", sa.BigInteger, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
    )
    op.create_table(
        "entry",
        sa.Column("chain", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("height", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("account", sa.Integer, sa.ForeignKey("account.id")),
        sa.Column("key", sa.Text),
        sa.Column("phase", sa.SmallInteger, sa.CheckConstraint("phase BETWEEN 1 AND 3")),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
    )
    op.create_index("one_step_of_each_phase", "entry", ["account", "key", "phase"], unique=True)
    op.create_index("newest_of_an_account", "entry", ["account", "height"])
    op.create_table(
        "checkpoint",
        sa.Column("chain", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("height", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("signature", sa.Text, nullable=False),
    )
    forbid = {"sqlite": _forbid_sqlite, "postgresql": _forbid_postgresql}
    forbid[op.get_bind().dialect.name]()


def _forbid_sqlite() -> None:
    for table in GROWING:
        for act in ("UPDATE", "DELETE"):
            _trigger_sqlite(f"no_{act.lower()}_of_{table}", f"{act} ON {table}", f"{table} is only ever added to")
    _trigger_sqlite("no_delete_of_balance", "DELETE ON balance", "a balance stays")
    _trigger_sqlite("no_delete_of_head", "DELETE ON head", "a chain stays")
    _trigger_sqlite("caps_are_fixed", "UPDATE OF epoch, place, cap ON balance", "a cap never changes")
    _trigger_sqlite(
        "heads_go_up", "UPDATE ON head", "a chain only grows", "NEW.height <= OLD.height OR NEW.chain <> OLD.chain"
    )


def _trigger_sqlite(name: str, event: str, sentence: str, when: str = "") -> None:
    condition = f" WHEN {when}" if when else ""
    op.execute(f"CREATE TRIGGER {name} BEFORE {event}{condition} BEGIN SELECT RAISE(ABORT, '{sentence}'); END")


def _forbid_postgresql() -> None:
    op.execute(
        "CREATE FUNCTION dpcompose_forbid() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION '%', TG_ARGV[0]; END $$"
    )
    for table in GROWING:
        _trigger_postgresql(f"{table}_grows", f"UPDATE OR DELETE ON {table}", f"{table} is only ever added to")
    for table in (*GROWING, "balance", "head"):
        op.execute(
            f"CREATE TRIGGER {table}_is_kept BEFORE TRUNCATE ON {table} FOR EACH STATEMENT "
            f"EXECUTE FUNCTION dpcompose_forbid('{table} is kept')"
        )
    _trigger_postgresql("no_delete_of_balance", "DELETE ON balance", "a balance stays")
    _trigger_postgresql("no_delete_of_head", "DELETE ON head", "a chain stays")
    _trigger_postgresql("caps_are_fixed", "UPDATE OF epoch, place, cap ON balance", "a cap never changes")
    _trigger_postgresql(
        "heads_go_up", "UPDATE ON head", "a chain only grows", "NEW.height <= OLD.height OR NEW.chain <> OLD.chain"
    )


def _trigger_postgresql(name: str, event: str, sentence: str, when: str = "") -> None:
    condition = f" WHEN ({when})" if when else ""
    op.execute(
        f"CREATE TRIGGER {name} BEFORE {event} FOR EACH ROW{condition} EXECUTE FUNCTION dpcompose_forbid('{sentence}')"
    )
