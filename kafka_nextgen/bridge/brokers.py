"""Brokers as answers describe them."""

from __future__ import annotations

from attrs import frozen

from kafka_nextgen.errors import DecodeError

__all__ = ["Broker", "check_address"]

_HIGHEST_PORT = 65535


@frozen
class Broker:
    """Where a broker listens, and its rack if it has one."""

    node_id: int
    host: str
    port: int
    rack: str | None = None


def check_address(node_id: int, host: str, port: int) -> None:
    """Raise ``DecodeError`` unless a broker can be there."""
    if node_id < 0 or not host or not 0 < port <= _HIGHEST_PORT:
        raise DecodeError(f"broker {node_id} at {host!r}, port {port}: there can be none")
