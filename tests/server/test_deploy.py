"""What an operator copies: read by the program it is for, where that is here, and by its own grammar in any case."""

from __future__ import annotations

import configparser
import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from dpcompose import cli

DEPLOY = Path(__file__).parents[2] / "deploy"


def unit() -> configparser.RawConfigParser:
    parser = configparser.RawConfigParser(strict=False, delimiters=("=",), interpolation=None)
    parser.optionxform = str
    parser.read(DEPLOY / "dpcompose.service")
    return parser


def options(command: list[str]) -> set[str]:
    return {word for word in command if word.startswith("--")}


def known(capsys: pytest.CaptureFixture[str]) -> set[str]:
    assert cli.run(["serve", "--help"]) == 0
    return set(re.findall(r"--[a-z-]+", capsys.readouterr().out))


def test_the_unit_runs_the_command_without_privileges(capsys: pytest.CaptureFixture[str]) -> None:
    found = unit()
    assert set(found.sections()) == {"Unit", "Service", "Install"}
    started = shlex.split(found["Service"]["ExecStart"])
    assert started[0].endswith("/dpcompose")
    assert started[1] == "serve"
    assert options(started) <= known(capsys)
    assert found["Service"]["DynamicUser"] == "yes"
    assert found["Service"]["ProtectSystem"] == "strict"
    program = shutil.which("systemd-analyze")
    if program is not None:
        told = subprocess.run(
            [program, "verify", "--man=no", DEPLOY / "dpcompose.service"], capture_output=True, text=True, check=False
        )
        wrong = [line for line in told.stderr.splitlines() if "dpcompose.service" in line and "executable" not in line]
        assert not wrong


def test_the_image_is_small_and_not_root(capsys: pytest.CaptureFixture[str]) -> None:
    text = (DEPLOY / "Dockerfile").read_text().replace("\\\n", " ")
    lines = [line.split(" ", 1) for line in text.splitlines() if line and not line.startswith("#")]
    words = [word for word, *_ in lines]
    assert set(words) <= {
        *("FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "VOLUME", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD"),
        "",
    }
    steps = [(word, rest[0]) for word, *rest in lines if word]
    last = max(i for i, (word, _) in enumerate(steps) if word == "FROM")
    user = next(rest for word, rest in steps[last:] if word == "USER")
    assert user.isdecimal()
    assert int(user) >= 1000
    entry = json.loads(next(rest for word, rest in steps if word == "ENTRYPOINT"))
    assert options(entry) <= known(capsys)
    for word, rest in steps:
        if word == "COPY" and "--from" not in rest:
            assert all((DEPLOY.parent / name).exists() for name in rest.split()[:-1])


def test_the_proxy_agrees_with_the_service(tmp_path: Path) -> None:
    text = (DEPLOY / "nginx.conf").read_text()
    assert text.count("{") == text.count("}")
    assert "client_max_body_size 256k" in text  # as the service itself
    program = shutil.which("nginx")
    if program is None:
        return
    certificate, key = tmp_path / "c.pem", tmp_path / "k.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate]
    subprocess.run([*made, "-days", "1", "-subj", "/CN=x"], check=True, capture_output=True)
    filled = re.sub(r"/etc/ssl/certs/\S+(?=;)", str(certificate), re.sub(r"/etc/ssl/private/\S+(?=;)", str(key), text))
    whole = tmp_path / "nginx.conf"
    whole.write_text(f"pid {tmp_path}/pid; error_log stderr; events {{}} http {{ access_log off; {filled} }}")
    told = subprocess.run([program, "-t", "-p", tmp_path, "-c", whole], capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
