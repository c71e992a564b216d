"""Looking up the addresses of a server's name.

A look-up can't be interrupted. One that outlasts its caller goes on, and the next caller waits for the same one, so
there is at most one thread for each server.
"""

from __future__ import annotations

from ipaddress import ip_address
from socket import SOCK_STREAM, getaddrinfo

from kafka_nextgen.errors import DisconnectedError
from kafka_nextgen.properties import ServerAddress, can_be_host
from kafka_nextgen.transport.daemon_threads import in_daemon_thread
from kafka_nextgen.transport.deadline import Deadline, Shared

__all__ = ["Resolver"]


class Resolver:
    """Looks names up, each once at a time."""

    def __init__(self) -> None:
        self._looking_up: Shared[ServerAddress, list[str]] = Shared()

    async def look_up(self, address: ServerAddress, timeout_s: float) -> list[str]:
        """The addresses of a name, each once and in the system's order (which weighs IPv6 against IPv4).

        Raises ``DisconnectedError``, or ``RequestTimeoutError`` after ``timeout_s`` seconds.
        """
        if _is_numeric(address.host):
            return [address.host]
        deadline = Deadline(timeout_s, f"{address}: looking up the name")
        return await self._looking_up.get(address, lambda: _addresses(address), deadline)

    async def close(self) -> None:
        """Wait for nothing any more."""
        await self._looking_up.close()


async def _addresses(address: ServerAddress) -> list[str]:
    if not can_be_host(address.host):
        raise DisconnectedError(f"{address}: this can't be the name of a host")
    try:
        found = await in_daemon_thread(
            lambda: getaddrinfo(address.host, address.port, type=SOCK_STREAM), f"kafka_nextgen resolver {address}"
        )
    except OSError as error:
        raise DisconnectedError(f"{address}: the name can't be looked up ({error.strerror or error})") from error
    except Exception as error:  # what a peer calls a host may be anything
        raise DisconnectedError(f"{address}: the name can't be looked up ({type(error).__name__})") from error
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))


def _is_numeric(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
