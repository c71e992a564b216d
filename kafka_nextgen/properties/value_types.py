"""Types of configuration values. Each reads text, as in a properties file, or the Python value.

A ``ValueType`` converts a value, or raises ``ValueError`` with a message such as "must be a whole number from 1 to 9,
not 'ten'"; the caller puts the key before it. Numbers are bounded by their fields in Kafka's messages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from types import MappingProxyType
from typing import Generic, TypeVar, cast

import attrs

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.lazy_patterns import lazy_pattern
from kafka_nextgen.properties.offset_reset import Reset, read_place, read_reset
from kafka_nextgen.text import can_be_sent, printable
from kafka_nextgen.types import JoinReason, topic_name_complaint

__all__ = [
    "FRAME_OVERHEAD_BYTES",
    "INT32_MAX",
    "MIB",
    "GroupProtocol",
    "IsolationLevel",
    "NotInThisVersionError",
    "RecoveryStrategy",
    "SecurityProtocol",
    "ServerAddress",
    "ValueType",
    "boolean",
    "can_be_host",
    "config_key",
    "group_protocol",
    "isolation_level",
    "join_reason",
    "offset_place",
    "offset_reset",
    "one_of",
    "path",
    "servers",
    "text",
    "whole_number",
]

T = TypeVar("T")
D = TypeVar("D")
E = TypeVar("E", bound=Enum)

INT32_MAX = 2**31 - 1
MIB = 1024 * 1024
#: The largest overhead of a fetch response besides its records, as in librdkafka.
FRAME_OVERHEAD_BYTES = 512
NO_ALIASES: Mapping[str, str] = MappingProxyType({})
_BOOLEANS = {"true": True, "false": False}
_ADDRESS = lazy_pattern(
    r"(?:PLAINTEXT://)?(?:\[(?P<v6>[0-9A-Fa-f:.%\w]+)\]|(?P<name>[^\s:/\[\],@]+)):(?P<port>[0-9]{1,5})"
)
#: Server addresses that errors show. Other text, such as a URL, may contain a password.
_HARMLESS_SERVER = lazy_pattern(r"[\w.\-]{0,255}(:[0-9]{0,9})?")
_LONGEST_HOST = 255


class GroupProtocol(Enum):
    """The group protocol (KIP-848)."""

    CONSUMER = "consumer"
    CLASSIC = "classic"
    AUTO = "auto"


class IsolationLevel(Enum):
    """Which records of transactions are returned (KIP-98)."""

    READ_UNCOMMITTED = "read_uncommitted"
    READ_COMMITTED = "read_committed"


class SecurityProtocol(Enum):
    """Whether connections use TLS and SASL."""

    PLAINTEXT = "PLAINTEXT"
    SSL = "SSL"
    SASL_PLAINTEXT = "SASL_PLAINTEXT"
    SASL_SSL = "SASL_SSL"

    @property
    def uses_tls(self) -> bool:
        """Whether connections are encrypted."""
        return self in (SecurityProtocol.SSL, SecurityProtocol.SASL_SSL)

    @property
    def uses_sasl(self) -> bool:
        """Whether clients authenticate with SASL."""
        return self in (SecurityProtocol.SASL_PLAINTEXT, SecurityProtocol.SASL_SSL)


class RecoveryStrategy(Enum):
    """What to do when no known broker can be reached (KIP-899, KIP-1102)."""

    REBOOTSTRAP = "rebootstrap"
    NONE = "none"


class NotInThisVersionError(ValueError):
    """Kafka has this value, but this version does not support it. The message lists the supported values."""


@frozen
class ServerAddress:
    """A host name or IP address, and a TCP port."""

    host: str
    port: int

    def __str__(self) -> str:
        host = printable(self.host, _LONGEST_HOST)
        return f"[{host}]:{self.port}" if ":" in host else f"{host}:{self.port}"


def can_be_host(host: str) -> bool:
    """Whether a host name is valid: no label is empty or longer than 63 octets (RFC 1035, IDNA)."""
    try:
        host.encode("idna")
    except UnicodeError:
        return False
    return bool(host) and "\0" not in host


@frozen
class ValueType(Generic[T]):
    """The type of a configuration value: its name for the documentation, and the function that reads it."""

    name: str
    read: Callable[[object], T]


def config_key(value_type: ValueType[T], default: D, doc: str) -> T | D:
    """Declare an attribute as a configuration key. Kafka's name of the key is the attribute's name with dots."""
    return cast("T | D", attrs.field(default=default, metadata={"value_type": value_type, "doc": doc}))


def text(what: str = "string") -> ValueType[str]:
    """A non-empty string that UTF-8 can encode."""

    def read(value: object) -> str:
        string = _read_path(value)
        if not can_be_sent(string):
            raise ValueError("must be text that UTF-8 can encode: it has a lone surrogate (it is not shown here)")
        return string

    return ValueType(what, read)


def _read_path(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"must be a non-empty string, not {value!r}")
    return value.strip()


#: The name of a file, which may not be UTF-8 (PEP 383).
path: ValueType[str] = ValueType("path", _read_path)


#: Kafka's rules for names of topics and for group.instance.id (KIP-345).
NAME_RULES = "1 to 249 of the characters a-z A-Z 0-9 . _ -"


def _read_name(value: object) -> str:
    if not isinstance(value, str) or topic_name_complaint(value):
        raise ValueError(f"must be {NAME_RULES}, and must not be . or .., but is {value!r}")
    return value


name: ValueType[str] = ValueType(NAME_RULES, _read_name)


def whole_number(minimum: int, maximum: int = INT32_MAX) -> ValueType[int]:
    """An integer from ``minimum`` to ``maximum``, inclusive."""
    wanted = f"a whole number from {minimum} to {maximum}"

    def read(value: object) -> int:
        number = _as_int(value)
        if number is None or not minimum <= number <= maximum:
            raise ValueError(f"must be {wanted}, not {value!r}")
        return number

    return ValueType(wanted, read)


def _as_int(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and re.fullmatch(r"\s*[+-]?[0-9]{1,20}\s*", value):
        return int(value)
    return None


def _read_boolean(value: object) -> bool:
    known = value if isinstance(value, bool) else _BOOLEANS.get(str(value).strip().lower())
    if known is None:
        raise ValueError(f"must be true or false, not {value!r}")
    return known


boolean: ValueType[bool] = ValueType("true or false", _read_boolean)


def one_of(
    choices: type[E], later: Iterable[str] = (), aliases: Mapping[str, str] = NO_ALIASES, or_else: str | None = None
) -> ValueType[E]:
    """One of an enum's values, in upper or lower case. ``later`` has Kafka's values that this version does not support.

    Messages also mention ``or_else``, an alternative that the caller reads.
    """
    known = {str(choice.value).lower(): choice for choice in choices}
    wanted = " or ".join([*(str(choice.value) for choice in choices), *([or_else] if or_else else [])])

    def read(value: object) -> E:
        if isinstance(value, choices):
            return value
        written = str(value).strip().lower()
        word = aliases.get(written, written)
        if word in known:
            return known[word]
        if word in later:
            raise NotInThisVersionError(wanted)
        raise ValueError(f"must be {wanted}, not {value!r}")

    return ValueType(wanted, read)


_NOT_SHOWN = " (it is not shown here, since it may contain a password)"


def _read_servers(value: object) -> tuple[ServerAddress, ...]:
    written = value.split(",") if isinstance(value, str) else value
    if not isinstance(written, Iterable):
        raise ValueError(f"must be host:port,... or a list of them, not {type(value).__name__}")
    written = tuple(written)
    if any("@" in str(one) for one in written):
        raise ValueError(f"must be host:port,... without users and passwords{_NOT_SHOWN}")
    found = tuple(dict.fromkeys(_read_server(one) for one in written if one != ""))
    if not found:
        raise ValueError("must name at least one host:port")
    return found


def _read_server(value: object) -> ServerAddress:
    server = value if isinstance(value, ServerAddress) else _parse_server(str(value).strip())
    if not can_be_host(server.host):
        raise ValueError(f"must name hosts: {server.host!r} is not a valid host name")
    return server


def _parse_server(written: str) -> ServerAddress:
    match = _ADDRESS.fullmatch(written)
    if match is None or not 0 < int(match["port"]) < 65536:
        shown = f", not {written!r}" if _HARMLESS_SERVER.fullmatch(written) else _NOT_SHOWN
        raise ValueError(f"must be host:port ([address]:port for IPv6){shown}")
    return ServerAddress(match["v6"] or match["name"], int(match["port"]))


servers: ValueType[tuple[ServerAddress, ...]] = ValueType("host:port,...", _read_servers)


def _read_join_reason(value: object) -> JoinReason:
    """Read a join reason that an application may give; the one for changed topics is reserved."""
    for reason in (JoinReason.RESTART, JoinReason.UPGRADE):
        if value is reason or str(value).strip().lower() == reason.name.lower():
            return reason
    raise ValueError(f"must be restart or upgrade, not {value!r}")


group_protocol: ValueType[GroupProtocol] = one_of(GroupProtocol, aliases={"generic": "classic"})
offset_place: ValueType[Reset] = ValueType("latest or earliest or by_duration:PT1H30M", read_place)
offset_reset: ValueType[Reset] = ValueType("latest or earliest or none or by_duration:PT1H30M", read_reset)
isolation_level: ValueType[IsolationLevel] = one_of(IsolationLevel)
join_reason: ValueType[JoinReason] = ValueType("restart or upgrade", _read_join_reason)
