"""Listeners: the addresses a node listens on, and the security protocol of each.

They are written as in Kafka: ``PLAINTEXT://127.0.0.1:9092,INSIDE://:9093``. The part before ``://`` is the listener's
name. ``listener.security.protocol.map`` maps names to protocols; the names of the four protocols map to themselves.
Clients receive the addresses of the listener that they connected to (KIP-103). Here, an empty host means the broker's
``host``, which is loopback by default, and never every interface.

Each further node of a cluster uses the next port; 0 lets the system choose.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.lazy_patterns import lazy_pattern
from kafka_nextgen.properties.value_types import SecurityProtocol

__all__ = ["PROTOCOLS_BY_NAME", "Endpoint", "Listener", "parse_listeners", "parse_protocol_map"]

_LISTENER = lazy_pattern(r"(?P<name>[A-Za-z0-9_.-]+)://(?:\[(?P<ipv6>[^\]]*)\]|(?P<host>[^:\[\]]*)):(?P<port>\d{1,5})")

#: The protocols of listeners that are named after one: the default of ``listener.security.protocol.map``.
PROTOCOLS_BY_NAME: tuple[str, ...] = tuple(f"{protocol.value}:{protocol.value}" for protocol in SecurityProtocol)


@frozen
class Endpoint:
    """An advertised address."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@frozen
class Listener:
    """A name, a protocol and an address; ``host`` may be empty, ``port`` is the first node's."""

    name: str
    protocol: SecurityProtocol
    host: str = ""
    port: int = 0


def parse_protocol_map(entries: Iterable[str]) -> dict[str, SecurityProtocol]:
    """Read ``listener.security.protocol.map``, a list of ``NAME:PROTOCOL``. Raises ``ConfigError``."""
    protocols: dict[str, SecurityProtocol] = {}
    for entry in entries:
        name, _, protocol = entry.partition(":")
        if not name or protocol not in SecurityProtocol.__members__:
            known = ", ".join(SecurityProtocol.__members__)
            raise ConfigError(
                f"listener.security.protocol.map: {entry!r} is not NAME:PROTOCOL with one of the protocols {known}",
                "listener.security.protocol.map",
            )
        protocols[name.upper()] = SecurityProtocol[protocol]
    return protocols


def parse_listeners(texts: Sequence[str], protocols: Mapping[str, SecurityProtocol]) -> tuple[Listener, ...]:
    """Read ``listeners``. Raises ``ConfigError`` for an invalid item, or one that has no protocol or appears twice."""
    found = tuple(_parse(text, protocols) for text in texts)
    _refuse_twice("name", [listener.name for listener in found])
    _refuse_twice("port", [listener.port for listener in found if listener.port])
    return found


def _parse(text: str, protocols: Mapping[str, SecurityProtocol]) -> Listener:
    parts = _LISTENER.fullmatch(text)
    if parts is None or int(parts["port"]) > 65535:
        raise ConfigError(f"listeners: {text!r} is not NAME://HOST:PORT", "listeners")
    name = parts["name"].upper()
    if name not in protocols:
        raise ConfigError(
            f"listeners: no protocol is set for {name}; add {name}:PROTOCOL to listener.security.protocol.map",
            "listeners",
        )
    return Listener(name, protocols[name], parts["ipv6"] or parts["host"] or "", int(parts["port"]))


def _refuse_twice(what: str, values: Sequence[object]) -> None:
    twice = {value for value in values if values.count(value) > 1}
    if twice:
        raise ConfigError(f"listeners: the {what} {min(map(str, twice))} appears twice", "listeners")
