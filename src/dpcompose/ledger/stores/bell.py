"""A bell: it wakes a client that waits at a door, from another process of this machine. It carries no message."""

from __future__ import annotations

import os
import socket
import struct
from contextlib import suppress

NOWHERE = "-"


class Bell:
    """The bell of one thread of one process. Where the system has no abstract sockets, it never rings."""

    def __init__(self, patience: float) -> None:
        """A bell whose waits end after this many seconds."""
        self.pid, self.address = os.getpid(), NOWHERE
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        whole, part = divmod(patience, 1)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("@ll", int(whole), int(part * 1e6)))
        with suppress(OSError):
            self._socket.bind("")  # the system picks the name, and drops it with the process
            name = self._socket.getsockname()
            if isinstance(name, bytes):
                self.address = name.hex()

    def wait(self) -> bool:
        """Wait until it rings or time is up; returns whether it rang."""
        try:
            self._socket.recv(1)
        except BlockingIOError:
            return False
        return True

    def ring(self, address: str) -> None:
        """Wake the client at this address, if there is one."""
        with suppress(OSError, ValueError):
            self._socket.sendto(b"", socket.MSG_DONTWAIT, bytes.fromhex(address))

    @property
    def rings(self) -> bool:
        """Whether the bell can be rung at all."""
        return self.address != NOWHERE

    def __del__(self) -> None:
        with suppress(AttributeError):  # there is no bell
            self._socket.close()


__all__ = ["Bell"]
