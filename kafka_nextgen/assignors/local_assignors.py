"""The configuration ``group.local.assignors``: objects, classes, or ``module:Class``.

A string is imported by the process that uses this configuration. Classes are instantiated without arguments. A group
knows an assignor by its ``name``, so names must differ. Metadata versions must fit the protocol (KIP-848,
"ConsumerGroupHeartbeat API"). Invalid values raise ``ValueError`` with a message worded to follow "key: ".
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module

from kafka_nextgen.assignors.spec import PartitionAssignor
from kafka_nextgen.properties.value_types import ValueType

__all__ = ["assignor_of", "local_assignors"]

_WANTED = "PartitionAssignor objects or classes, or module:Class"
#: The metadata version of classic members in an online migration, and the highest that the protocol carries.
LOWEST_VERSION, HIGHEST_VERSION = -1, 2**15 - 1


def _read(value: object) -> tuple[PartitionAssignor, ...]:
    items = [item for item in value.split(",") if item.strip()] if isinstance(value, str) else value
    if isinstance(items, type) or not isinstance(items, Iterable):
        items = (items,)
    assignors = tuple(assignor_of(item) for item in items)
    names = [assignor.name for assignor in assignors]
    if len(set(names)) < len(names):
        raise ValueError(f"{', '.join(names)}: two assignors have the same name")
    return assignors


#: The value of ``group.local.assignors``.
local_assignors: ValueType[tuple[PartitionAssignor, ...]] = ValueType(_WANTED, _read)


def assignor_of(item: object) -> PartitionAssignor:
    """The assignor given as an object, a class or ``module:Class``. Raises ``ValueError`` if it is not one."""
    found = _import(item.strip()) if isinstance(item, str) else item
    assignor = _instance_of(found) if isinstance(found, type) and issubclass(found, PartitionAssignor) else found
    if not isinstance(assignor, PartitionAssignor):
        raise ValueError(f"must be {_WANTED}, not {item!r}")
    _check_name(assignor)
    _check_versions(assignor)
    return assignor


def _import(text: str) -> object:
    module, _, name = text.partition(":")
    if not module or not name:
        raise ValueError(f"must be {_WANTED}, not {text!r}")
    try:
        return getattr(import_module(module), name)
    except Exception as error:  # the module may raise anything
        raise ValueError(f"{text} can't be imported: {error}") from error


def _instance_of(kind: type[PartitionAssignor]) -> PartitionAssignor:
    try:
        return kind()
    except TypeError as error:
        raise ValueError(f"{kind.__name__} can't be instantiated without arguments: {error}") from error


def _check_name(assignor: PartitionAssignor) -> None:
    name = getattr(assignor, "name", None)
    if not isinstance(name, str) or not name.strip() or "," in name:
        raise ValueError(f"the name of {assignor!r} must be a string that is not blank and has no commas, not {name!r}")


def _check_versions(assignor: PartitionAssignor) -> None:
    low, high = assignor.minimum_version, assignor.maximum_version
    are_numbers = type(low) is int and type(high) is int
    if not are_numbers or not LOWEST_VERSION <= low <= high or not 0 <= high <= HIGHEST_VERSION:
        raise ValueError(
            f"{assignor.name} reads versions {low!r} to {high!r}: minimum_version must be at least {LOWEST_VERSION}; "
            f"maximum_version must be at least minimum_version, at least 0, and at most {HIGHEST_VERSION}"
        )
