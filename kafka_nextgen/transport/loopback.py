"""Checks whether bytes are in transit between two sockets of this process.

Data sent to the same machine has usually arrived when ``send`` returns. But TCP may hold bytes back until others are
acknowledged, and a busy kernel may defer a packet to a kernel thread; then it is visible in neither socket. Linux
reports how many bytes a connection has sent and received (``TCP_INFO``). On other systems nothing is assumed to be in
transit.
"""

from __future__ import annotations

import socket
import struct
import sys
from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["is_anything_under_way"]

_IS_KNOWN = sys.platform == "linux"
#: The state in ``struct tcp_info`` (linux/tcp.h), then the bytes received, still to be sent, sent, and retransmitted.
_FIELDS = struct.Struct("@B127xQ8xI52xQQ")
_SYN_SENT = 2


class _Ends(NamedTuple):
    here: object
    there: object


class _Bytes(NamedTuple):
    received: int
    sent: int


def is_anything_under_way(descriptors: Iterable[int]) -> bool:
    """Whether bytes or a connection request from one of these sockets to another have not arrived yet."""
    if not _IS_KNOWN:
        return False
    seen: dict[_Ends, _Bytes] = {}
    for descriptor in descriptors:
        try:
            if not _add(descriptor, seen):
                return True
        except OSError:  # not a connection, or already closed
            continue
    arrived = {_Ends(there, here): amounts.received for (here, there), amounts in seen.items()}
    return any(arrived.get(ends, amounts.sent) < amounts.sent for ends, amounts in seen.items())


def _add(descriptor: int, seen: dict[_Ends, _Bytes]) -> bool:
    """Record the byte counts of this socket; returns False if it is connecting to this machine."""
    # The explicit family and type save the system calls that detect them.
    looked_at = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 0, fileno=descriptor)
    try:
        info = looked_at.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _FIELDS.size)
        state, received, unsent, sent, again = _FIELDS.unpack(info)
        here = looked_at.getsockname()
        if state == _SYN_SENT:
            return not str(here[0]).startswith("127.")
        seen[_Ends(here, looked_at.getpeername())] = _Bytes(received, sent - again + unsent)
        return True
    finally:
        looked_at.detach()
