"""The second schema: a function by which PostgreSQL takes a plain step, in one message. The tables do not change."""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"

STEP = """
CREATE FUNCTION dpcompose_step(
    asked jsonb, checkpoint_every bigint, OUT now_height bigint, OUT now_hash text, OUT now_used bigint[]
) LANGUAGE plpgsql AS $$
DECLARE
    in_chain CONSTANT int := asked ->> 0;
    of_account CONSTANT int := asked ->> 1;
    under_key CONSTANT text := asked ->> 2;
    known_height CONSTANT bigint := asked -> 4 ->> 0;
    secret CONSTANT text := asked ->> 8;
    top bigint;
    link text;
    page jsonb;
    debit jsonb;
    body text;
    total bigint;
    used_so_far bigint[] := '{}';
BEGIN
    IF NOT (asked ->> 7)::boolean THEN
        PERFORM set_config('synchronous_commit', 'off', true);
    END IF;
    SELECT height, hash INTO top, link FROM head WHERE chain = in_chain FOR UPDATE;
    IF NOT FOUND
        OR top < known_height OR (top = known_height AND link <> asked -> 4 ->> 1)
        OR top / checkpoint_every <> (top + jsonb_array_length(asked -> 5)) / checkpoint_every
        OR ARRAY(SELECT kind FROM entry WHERE account = of_account AND key = under_key ORDER BY phase)
           <> ARRAY(SELECT jsonb_array_elements_text(asked -> 3))
    THEN
        RETURN;
    END IF;
    FOR debit IN SELECT jsonb_array_elements(asked -> 6) LOOP
        IF (debit ->> 1)::int IS DISTINCT FROM
            (SELECT id FROM epoch WHERE account = (debit ->> 0)::int ORDER BY number DESC LIMIT 1)
        THEN
            RAISE EXCEPTION 'the epoch has changed' USING ERRCODE = 'check_violation';
        END IF;
        UPDATE balance SET used = used + (debit ->> 3)::bigint
        WHERE epoch = (debit ->> 1)::int AND place = (debit ->> 2)::int
          AND used + (debit ->> 3)::bigint BETWEEN 0 AND cap
        RETURNING used INTO total;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'it does not fit' USING ERRCODE = 'check_violation';
        END IF;
        used_so_far := used_so_far || total;
    END LOOP;
    FOR page IN SELECT jsonb_array_elements(asked -> 5) LOOP
        top := top + 1;
        body := replace(replace(page ->> 2, '"' || secret || '-height"', top::text), secret || '-before', link);
        IF page ->> 1 = 'reserve' THEN
            FOR i IN 1 .. cardinality(used_so_far) LOOP
                body := replace(body, secret || '-' || (i - 1) || '-used', used_so_far[i]::text);
            END LOOP;
        END IF;
        link := encode(sha256(convert_to(body, 'UTF8')), 'hex');
        INSERT INTO entry (chain, height, account, key, phase, kind, body, hash)
        VALUES (in_chain, top, of_account, under_key, (page ->> 0)::smallint, page ->> 1, body, link);
    END LOOP;
    UPDATE head SET height = top, hash = link WHERE chain = in_chain;
    now_height := top;
    now_hash := link;
    now_used := used_so_far;
END $$
"""


def upgrade() -> None:
    """Make the function; it runs with the rights of its caller."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute(STEP)
