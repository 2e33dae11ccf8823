"""A small private training with Opacus, its ε certified and beside what Opacus says itself.

Run with `python examples/opacus_training.py` where the extra `interop` is installed; it takes seconds.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import torch
from opacus import PrivacyEngine
from opacus.accountants import create_accountant
from torch.utils.data import DataLoader, TensorDataset

import dpcompose as dpc

RECORDS, FEATURES, BATCH, EPOCHS, NOISE, DELTA = 512, 8, 32, 3, 1.2, 1e-4


@dataclass(frozen=True, slots=True)
class Run:
    """What a training gave and what it cost."""

    accuracy: float
    epsilon: dpc.Answer
    history: list[tuple[float, float, int]]
    beside: dict[str, float]


def data() -> TensorDataset:
    """Records in two classes, drawn anew with the same seed every time."""
    generator = torch.Generator().manual_seed(7)
    labels = torch.randint(0, 2, (RECORDS,), generator=generator)
    features = torch.randn(RECORDS, FEATURES, generator=generator) + 0.6 * (2.0 * labels[:, None] - 1)
    return TensorDataset(features, labels)


def train() -> Run:
    """Three epochs of DP-SGD on a logistic regression."""
    torch.manual_seed(7)
    dpc.interop.opacus.register()
    records = data()
    model = torch.nn.Linear(FEATURES, 2)
    engine = PrivacyEngine(accountant="dpcompose")
    model, optimizer, loader = engine.make_private(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=0.5),
        data_loader=DataLoader(records, batch_size=BATCH),
        noise_multiplier=NOISE,
        max_grad_norm=1.0,
    )
    for _ in range(EPOCHS):
        for features, labels in loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(features), labels).backward()
            optimizer.step()
    features, labels = records.tensors
    accuracy = (model(features).argmax(dim=1) == labels).float().mean().item()
    history = list(engine.accountant.history)
    return Run(
        accuracy, engine.accountant.epsilon(DELTA), history, {name: peer(name, history) for name in ("prv", "rdp")}
    )


def peer(name: str, history: list[tuple[float, float, int]]) -> float:
    """What an accountant of Opacus says of the same history."""
    accountant = create_accountant(name)
    accountant.history = history
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of orders and grids, which it chooses itself
        return float(accountant.get_epsilon(delta=DELTA))


def main() -> None:
    """Train, and say what it cost."""
    run = train()
    print(f"accuracy {run.accuracy:.1%} after {sum(steps for *_, steps in run.history)} steps")
    print(f"dpcompose: {run.epsilon}")
    for name, value in run.beside.items():
        print(f"Opacus {name}: {value:.6g}")
    ((noise, rate, steps),) = run.history
    print(dpc.dp_sgd(noise_multiplier=noise, sample_rate=rate, steps=steps, target_delta=DELTA, dataset_size=RECORDS))


if __name__ == "__main__":
    main()
