"""The assignors of a broker's coordinator: ``group.consumer.assignors``.

Those built in are known by name, and Kafka's two of them are there by default. One's own come as an object, or as a
class that can be made without arguments, from the program that starts the broker; nothing that arrives over the
network, and no text, makes the broker load any code. Members vote for an assignor by its ``name``
(``group.remote.assignor``), so no two may have the same; without votes the first one assigns.
"""

from __future__ import annotations

from kafka_nextgen.assignors import PartitionAssignor, RangeAssignor, UniformAssignor
from kafka_nextgen.assignors.built_in import BUILT_IN
from kafka_nextgen.assignors.local_assignors import assignor_of
from kafka_nextgen.errors import ConfigError

__all__ = ["KAFKAS_ASSIGNORS", "assignors"]

#: Those that Kafka has by default.
KAFKAS_ASSIGNORS: tuple[PartitionAssignor, ...] = (BUILT_IN[UniformAssignor.name], BUILT_IN[RangeAssignor.name])


def assignors(key: str, value: object) -> tuple[PartitionAssignor, ...]:
    """Read assignors, at least one and none twice."""
    items = [item for item in value.split(",") if item.strip()] if isinstance(value, str) else value
    items = items if isinstance(items, (list, tuple)) else (items,)
    found = tuple(_assignor(key, item) for item in items)
    names = [assignor.name for assignor in found]
    if not names:
        raise ConfigError(f"{key} must have at least one assignor", key)
    if len(set(names)) < len(names):
        raise ConfigError(f"{key}: {', '.join(names)}: no two may have the same name", key)
    return found


def _assignor(key: str, item: object) -> PartitionAssignor:
    if isinstance(item, str):
        return _named(key, item.strip())
    try:
        return assignor_of(item)
    except ValueError as error:
        raise ConfigError(f"{key}: {error}", key) from error


def _named(key: str, name: str) -> PartitionAssignor:
    if name not in BUILT_IN:
        known = ", ".join(BUILT_IN)
        raise ConfigError(
            f"{key}: there is no assignor {name!r}, only {known}; one of your own is given as an object, or on the "
            "command line as MODULE:CLASS",
            key,
        )
    return BUILT_IN[name]
