"""Signed checkpoints: the holder of a key states that a chain had this height and this hash.

The private key stays on the machine, beside the high-water mark; the public key is in the book. A checkpoint that was
given to somebody else proves later that nothing before it was changed or cut.
"""

from __future__ import annotations

import os
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key

from dpcompose.ledger.chain import Head, canonical
from dpcompose.ledger.errors import StoreError

SCHEMA = "dpc.checkpoint/1"
EVERY = 1000
"""How many entries of a chain lie between two checkpoints that are kept."""


class Signer:
    """The signing key of this machine for one book; made when it is first needed."""

    def __init__(self, folder: Path, store: str) -> None:
        """Use the key in this folder, beside the high-water mark."""
        self.path, self.store = folder / store / "key.pem", store
        self._key: Ed25519PrivateKey | None = None

    @property
    def public(self) -> str:
        """The public key, in hexadecimal."""
        return self._private().public_key().public_bytes_raw().hex()

    def signed(self, head: Head, at: str) -> tuple[str, str]:
        """The text of a checkpoint of this head, and its signature."""
        stated = {"at": at, "chain": head.chain, "hash": head.hash, "height": head.height, "key": self.public}
        body = canonical({**stated, "schema": SCHEMA, "store": self.store})
        return body, self._private().sign(body.encode()).hex()

    def _private(self) -> Ed25519PrivateKey:
        if self._key is None:
            self._key = self._loaded()
        return self._key

    def _loaded(self) -> Ed25519PrivateKey:
        try:
            if not self.path.exists():
                self._make()
            key = load_pem_private_key(self.path.read_bytes(), password=None)
        except (OSError, ValueError) as error:
            raise StoreError(f"The key in {str(self.path)!r} cannot be used: {error}.") from None
        if not isinstance(key, Ed25519PrivateKey):
            raise StoreError(f"The key in {str(self.path)!r} is no Ed25519 key.")
        return key

    def _make(self) -> None:
        """Make the key file, whole or not at all; of several processes only one makes it."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        made = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        scratch = self.path.with_name(f"key.{os.getpid()}")
        scratch.touch(mode=0o600)
        scratch.write_bytes(made)
        try:
            os.link(scratch, self.path)
        except FileExistsError:
            pass
        finally:
            scratch.unlink()


__all__ = ["EVERY", "SCHEMA", "Signer"]
