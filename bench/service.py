"""The service under load: 16 clients for a minute on this machine, which ask, quote, spend and commit.

    python bench/service.py [--seconds 60] [--clients 16] [--store URL] [--workers 1]

Prints what was answered, how fast, how much memory the service took at the start, in the middle and at the end, and
whether the books add up: 0 errors, nothing overspent, everything that was granted is in the log.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections import defaultdict
from pathlib import Path

import httpx

START = (sys.executable, "-c", "from dpcompose.cli import main; main()", "serve", "--rate", "10000000")
PLAN = "Laplace(scale=3000)"


def started(folder: Path, port: int, store: str, workers: int) -> tuple[subprocess.Popen[str], str]:
    """A service of its own, and the token of its owner."""
    environment = {**os.environ, "DPCOMPOSE_STATE": str(folder / "state"), "OPENBLAS_NUM_THREADS": "1"}
    command = [*START, "--port", str(port), "--store", store, "--workers", str(workers)]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True
        )
    token = process.stdout.readline().split()[-1]
    while True:
        try:
            if httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=60).status_code == 200:
                return process, token
        except httpx.TransportError:
            time.sleep(0.2)


def memory(group: int) -> float:
    """Megabytes that all processes of a group take, what they share counted once."""
    total = 0
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if int((path / "stat").read_text().rpartition(")")[2].split()[2]) == group:
                lines = (path / "smaps_rollup").read_text().splitlines()
                total += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        except (OSError, ValueError, StopIteration):
            continue
    return total / 1024


def computed(group: int) -> float:
    """Seconds of computing that all processes of a group have taken, those that ended included."""
    ticks = 0
    for path in Path("/proc").glob("[0-9]*"):
        try:
            fields = (path / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group:
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


class Clients:
    """Everybody who asks, and what they were told."""

    def __init__(self, url: str, token: str, count: int) -> None:
        """Nobody asks yet."""
        self.url, self.token = url, token
        self.times: dict[str, list[float]] = defaultdict(list)
        self.errors: list[str] = []
        self.granted: list[str] = []
        self.until = 0.0
        self.threads = [threading.Thread(target=self.ask, args=(n,)) for n in range(count)]

    def run(self, seconds: float) -> None:
        """For so long."""
        self.until = time.monotonic() + seconds
        for thread in self.threads:
            thread.start()

    def ask(self, number: int) -> None:
        """One client: a question, a quote, a charge and its commit, in turn."""
        headers = {"Authorization": f"Bearer {self.token}"}
        path = f"/v1/accounts/load{number % 4}"
        with httpx.Client(base_url=self.url, headers=headers, timeout=60) as http:
            i = 0
            while time.monotonic() < self.until:
                i += 1
                plan = {"mechanism": f"{1 + (i * 16 + number) % 5000} * BlackBox(epsilon=0.01)", "delta": "1e-6"}
                self.timed(http, "question", "/v1/epsilon", plan)
                self.timed(http, "quote", f"{path}/quote", {"mechanism": PLAN})
                key = f"{number}-{i}"
                if self.timed(http, "charge", f"{path}/grants", {"mechanism": PLAN, "key": key}):
                    self.granted.append(key)
                    self.timed(http, "commit", f"{path}/grants/{key}/commit", {})

    def timed(self, http: httpx.Client, what: str, path: str, document: dict[str, str]) -> bool:
        """One request."""
        began = time.perf_counter()
        try:
            reply = http.post(path, json=document, headers={"Idempotency-Key": str(uuid.uuid4())})
        except httpx.TransportError as error:
            self.errors.append(f"{what}: {error!r}")
            return False
        self.times[what].append(time.perf_counter() - began)
        if not reply.is_success:
            self.errors.append(f"{what}: {reply.status_code} {reply.text[:200]}")
        return reply.is_success


def quantile(times: list[float], share: float) -> float:
    """Milliseconds."""
    return 1000 * sorted(times)[min(len(times) - 1, int(share * len(times)))]


def main() -> int:
    """Start, load, count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--store")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, socket.socket() as free:
        folder = Path(name)
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        store = options.store or f"sqlite:///{folder}/books.db"
        process, token = started(folder, port, store, options.workers)
        try:
            return measured(f"http://127.0.0.1:{port}", token, process.pid, options)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


def measured(url: str, token: str, group: int, options: argparse.Namespace) -> int:
    """The load, and what came of it."""
    headers = {"Authorization": f"Bearer {token}"}
    for n in range(4):
        made = {"name": f"load{n}", "unit": "person", "epsilon": "8", "delta": "1e-6"}
        httpx.post(f"{url}/v1/accounts", json=made, headers={**headers, "Idempotency-Key": str(n)}, timeout=60)
    clients = Clients(url, token, options.clients)
    taken, before = [memory(group)], computed(group)
    clients.run(options.seconds)
    for _ in range(2):
        time.sleep(options.seconds / 2)
        taken.append(memory(group))
    for thread in clients.threads:
        thread.join()
    every = [t for times in clients.times.values() for t in times]
    spent = computed(group) - before
    print(f"{options.clients} clients, {options.seconds:g} s, {options.workers} worker(s), {os.cpu_count()} cores")
    print(f"{'':10} {'requests':>9} {'p50 ms':>8} {'p99 ms':>8} {'max ms':>8}")
    for what, times in [*clients.times.items(), ("all", every)]:
        row = [quantile(times, 0.5), quantile(times, 0.99), 1000 * max(times)]
        print(f"{what:10} {len(times):>9} " + " ".join(f"{ms:8.1f}" for ms in row))
    print(f"{len(every) / options.seconds:.0f} requests/s, {len(clients.errors)} errors")
    print(f"{1000 * spent / len(every):.2f} ms of computing a request; load of the machine {os.getloadavg()[0]:.1f}")
    print("memory, MB: " + " → ".join(f"{mb:.0f}" for mb in taken))
    return right(url, headers, clients)


def right(url: str, headers: dict[str, str], clients: Clients) -> int:
    """Whether the books hold what was told, and add up."""
    kept = 0
    for n in range(4):
        found = httpx.get(f"{url}/v1/accounts/load{n}", headers=headers, timeout=60).json()
        quoted = httpx.post(f"{url}/v1/accounts/load{n}/quote", json={"mechanism": PLAN}, headers=headers, timeout=60)
        cost = float(quoted.json()["cost"]["rho"])
        used = next(float(c["used"]) for c in found["coordinates"] if c["name"] == "rho")
        kept += round(used / cost)
    wish = {**headers, "Idempotency-Key": "verify"}
    verdict = httpx.post(f"{url}/v1/verification", headers=wish, timeout=60).json()
    while verdict["state"] == "running":
        time.sleep(1)
        verdict = httpx.get(f"{url}/v1/verification", headers=headers, timeout=60).json()
    print(f"granted {len(clients.granted)}, in the books {kept}; verified: {verdict.get('holds')}")
    for error in clients.errors[:5]:
        print(error)
    return int(bool(clients.errors) or kept != len(clients.granted) or not verdict.get("holds"))


if __name__ == "__main__":
    sys.exit(main())
