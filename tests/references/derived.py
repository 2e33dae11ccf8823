"""Whether the stored references still rest on what they were last derived with.

    python tests/references/derived.py

runs every test that derives a reference anew and, if all of them pass, writes down a digest: of the methods, the tests
of the methods, the results, and the versions of the libraries underneath. While the digest stays the same these tests
could only say the same again, so they are left out by day; at night, and wherever anything differs, they run.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).parent
DIGEST = HERE / "derived.sha256"
ASKING = {"agreement.py", "conftest.py", "test_works.py"}
"""What holds answers against the references, and derives none."""
LIBRARIES = ("mpmath", "numpy", "python-flint", "scipy")


def sources() -> list[Path]:
    """All that the references rest on: every method, every test of one, and the results."""
    return sorted(path for path in [*HERE.glob("*.py"), HERE / "works.jsonl"] if path.name not in ASKING)


def digest(paths: Iterable[Path], versions: Iterable[str]) -> str:
    """One word for the contents of these files, under their names, and for these versions."""
    found = hashlib.sha256()
    for path in paths:
        data = path.read_bytes()
        found.update(f"{path.name} {len(data)}\n".encode() + data)
    for line in versions:
        found.update(f"{line}\n".encode())
    return found.hexdigest()


def today() -> str:
    """The digest of what is here now."""
    return digest(sources(), (f"{name} {version(name)}" for name in LIBRARIES))


def is_current() -> bool:
    """Whether nothing has changed since all was derived."""
    return DIGEST.exists() and DIGEST.read_text(encoding="utf-8").strip() == today()


def main() -> int:
    """Derive all, then write the digest."""
    before = today()
    command = [sys.executable, "-m", "pytest", "-q", "-m", "derives", str(HERE)]
    failed = subprocess.run(command, check=False).returncode
    if failed or today() != before:
        return failed or 1
    DIGEST.write_text(before + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
