"""What the service answers is what the command line prints."""

from __future__ import annotations

import json
import shlex

import httpx
import pytest

from dpcompose import cli
from dpcompose.server.questions import QUESTIONS

THIRTY = "30 * BlackBox(epsilon=0.1, delta=0.001)"
ASKED = {
    "document": [({"mechanism": THIRTY}, f"document '{THIRTY}'")],
    "theorems": [({"pattern": "KOV-3.4"}, "theorems KOV-3.4"), ({}, "theorems")],
    "epsilon": [({"mechanism": THIRTY, "delta": "0.05"}, f"epsilon '{THIRTY}' --delta 0.05")],
    "delta": [({"mechanism": THIRTY, "epsilon": 1}, f"delta '{THIRTY}' --epsilon 1")],
    "renyi": [({"mechanism": "Laplace(scale=2)", "order": "8"}, "renyi 'Laplace(scale=2)' --order 8")],
    "compare": [({"mechanism": THIRTY, "delta": "0.05"}, f"compare '{THIRTY}' --delta 0.05")],
    "explain": [({"mechanism": THIRTY, "epsilon": "1/3"}, f"explain '{THIRTY}' --epsilon 1/3")],
    "growth": [
        ({"mechanism": THIRTY, "delta": "0.05", "counts": "1,2"}, f"growth '{THIRTY}' --delta 0.05 --counts 1,2")
    ],
    "profile": [({"mechanism": THIRTY, "epsilons": "0,1"}, f"profile '{THIRTY}' --epsilons 0,1")],
    "region": [({"mechanism": "BlackBox(epsilon=1)"}, "region 'BlackBox(epsilon=1)'")],
    "check": [
        ({"mechanism": THIRTY, "epsilon": "0.5", "delta": "0.05"}, f"check '{THIRTY}' --epsilon 0.5 --delta 0.05")
    ],
    "beta": [({"mechanism": "Laplace(scale=2)", "alpha": 0.05}, "beta 'Laplace(scale=2)' --alpha 0.05")],
    "risk": [({"mechanism": "Laplace(scale=2)", "fpr": "0.001"}, "risk 'Laplace(scale=2)' --fpr 0.001")],
    "calibrate": [
        (
            {"mechanism": "100 * Gaussian(noise_std=?)", "epsilon": 1, "delta": "1e-6"},
            "calibrate '100 * Gaussian(noise_std=?)' --epsilon 1 --delta 1e-6",
        )
    ],
    "advise": [
        ({"queries": 5, "epsilon": "0.5", "delta": "1e-9"}, "advise --queries 5 --epsilon 0.5 --delta 1e-9"),
        ({"weights": "1,4", "epsilon": "1", "delta": "1e-6"}, "advise --weights 1,4 --epsilon 1 --delta 1e-6"),
    ],
    "formula": [
        ({}, "formula"),
        ({"card": "MIR-P4"}, "formula MIR-P4"),
        ({"card": "MIR-P4", "inputs": {"n": 100, "eps": "0.1", "Q": "1e-9"}}, "formula MIR-P4 n=100 eps=0.1 Q=1e-9"),
    ],
}


def test_every_question_is_compared() -> None:
    assert ASKED.keys() == QUESTIONS.keys()


@pytest.mark.parametrize("name, asked, command", [(n, *each) for n, every in ASKED.items() for each in every])
def test_the_service_answers_what_the_command_prints(
    name: str, asked: dict[str, object], command: str, http: httpx.Client, capsys: pytest.CaptureFixture[str]
) -> None:
    asks = shlex.split(command)
    assert cli.run(asks if name == "document" else [*asks, "--json"]) in (0, 1)  # a document is JSON already
    printed = capsys.readouterr().out
    reply = http.post(f"/v1/{name}", json=asked)
    assert (reply.status_code, reply.headers["content-type"]) == (200, "application/json")
    assert reply.text == printed
    assert json.loads(printed)
