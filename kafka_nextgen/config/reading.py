"""Parses keys and values as they were written: identifies the key, converts the value, and refuses invalid ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from kafka_nextgen.config.keys import FORBIDDEN, KEYS, Key
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.properties import value_types as p
from kafka_nextgen.properties.security_config import ALIASES
from kafka_nextgen.properties.value_types import GroupProtocol

__all__ = [
    "canonical",
    "dotted",
    "lookup",
    "protocol_in",
    "read_value",
    "refuse_classic",
    "refuse_no_mapping",
    "refuse_unknown",
]


def lookup(written: str) -> Key:
    """Return the key with this name. Raises ``KeyError`` if it is unknown: call ``refuse_unknown`` first."""
    return KEYS[canonical(written)]


def canonical(written: str) -> str:
    """Return Kafka's name for a key that is written with underscores or as an alias."""
    return ALIASES.get(dotted(written), dotted(written))


def dotted(written: str) -> str:
    """Return a key with dots, as Kafka writes it."""
    return str(written).replace("_", ".")


def read_value(key: Key, written: str, value: object) -> object:
    """Convert a value to the type of its key. Raises ``ConfigError`` with the key as it was ``written``."""
    try:
        return key.value_type.read(value)
    except p.NotInThisVersionError as error:
        why = f"is not available in this version, which has {error}{_hint(key, value)}"
        raise ConfigError(f"{written}={value} {why}", written) from None
    except ValueError as error:
        raise ConfigError(f"{written}: {error}{_hint(key, value)}", written) from None


def _hint(key: Key, value: object) -> str:
    """Return a hint if another client allows this value, otherwise an empty string."""
    from kafka_nextgen.other_clients.advice import MIGRATE, is_understood

    return f"; {MIGRATE}" if is_understood(key.name, value, key.value_type.read) else ""


def refuse_no_mapping(properties: object) -> None:
    """Raise ConfigError for anything but a mapping, such as servers or a topic.

    The error does not show it, because it could contain a password.
    """
    if properties is not None and not isinstance(properties, Mapping):
        raise ConfigError(
            "a configuration must be a mapping such as {'bootstrap.servers': 'localhost:9092'}, or keywords such as "
            f"bootstrap_servers='localhost:9092', not {type(properties).__name__}; pass topics to subscribe()"
        )


def refuse_unknown(items: Iterable[tuple[str, object]]) -> None:
    """Raise a ConfigError that names all unknown keys, if there are any."""
    unknown = [written for written, _ in items if canonical(written) not in KEYS]
    if not unknown:
        return
    from kafka_nextgen.other_clients.advice import unknown_keys

    raise ConfigError(unknown_keys([str(one) for one in unknown], [*KEYS, *ALIASES]), unknown[0])


def protocol_in(items: Iterable[tuple[str, object]]) -> object:
    """Return the group protocol that these keys and values set. Raises ``ConfigError`` for an invalid one."""
    said = [(written, value) for written, value in items if dotted(written) == "group.protocol" and value is not None]
    return read_value(KEYS["group.protocol"], *said[0]) if said else GroupProtocol.CONSUMER


def refuse_classic(items: Collection[tuple[str, object]]) -> None:
    """Raise ConfigError for a key that the consumer group protocol does not allow."""
    for written, value in items:
        instead = FORBIDDEN.get(dotted(written))
        if instead and value is not None and protocol_in(items) is GroupProtocol.CONSUMER:
            why = f"{written} can't be set with group.protocol=consumer: {instead}"
            raise ConfigError(f"{why}; remove it", written)
