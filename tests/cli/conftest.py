"""A command, run in this process: its exit code, and what it said."""

from __future__ import annotations

import json

import pytest

from dpcompose import cli


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]):
    def call(*arguments: str) -> tuple[int, str, str]:
        code = cli.run(arguments)
        said = capsys.readouterr()
        for_programs = {"--json", "completion"} & set(arguments)
        assert max(map(len, said.out.splitlines()), default=0) <= 80 or for_programs
        return code, said.out, said.err

    return call


@pytest.fixture
def told(run):
    def call(*arguments: str) -> dict:
        code, out, err = run(*arguments, "--json")
        assert (code in (0, 1), err) == (True, "")
        return json.loads(out)

    return call
