"""Applies the changes of a request to the configuration of a resource (KIP-339, "Incremental AlterConfigs").

| operation | what it does |
|---|---|
| SET | sets a key to a value, which is not null |
| DELETE | deletes the value, whether or not there is such a key |
| APPEND | adds the values that a list does not contain yet |
| SUBTRACT | removes values from a list |

All changes to one resource are made, or none. The older AlterConfigs (KIP-133) sets every key that it names and deletes
all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.broker.configs.keys import ConfigKey, Kind
from kafka_nextgen.testing.broker.refusal import Refusal
from kafka_nextgen.testing.coordinator.hash_map import place

__all__ = ["Change", "Op", "altered", "refuse_changes", "replacing"]


class Op(IntEnum):
    """An operation, by Kafka's numbers."""

    SET = 0
    DELETE = 1
    APPEND = 2
    SUBTRACT = 3


@frozen
class Change:
    """A change of one key; ``op`` is not one of ``Op`` if a newer client knows more operations."""

    name: str
    op: int
    value: str | None = None


def replacing(given: Iterable[tuple[str, str | None]], before: Iterable[str]) -> tuple[Change, ...]:
    """The changes that replace the keys ``before`` with the ``given`` ones."""
    set_all = tuple(Change(name, Op.SET, value) for name, value in given)
    named = {change.name for change in set_all}
    return set_all + tuple(Change(name, Op.DELETE) for name in before if name not in named)


def refuse_changes(changes: Sequence[Change]) -> Refusal | None:
    """Return the reason if the changes are invalid for every resource; None if they may be valid."""
    if len({change.name for change in changes}) < len(changes):
        return Refusal(ErrorCode.INVALID_REQUEST, "Error due to duplicate config keys")
    null = [change.name for change in changes if change.op != Op.DELETE and change.value is None]
    if null:
        return Refusal(ErrorCode.INVALID_REQUEST, f"Null value not supported for : {', '.join(null)}")
    return None


def altered(
    before: Mapping[str, str], changes: Iterable[Change], keys: Mapping[str, ConfigKey]
) -> dict[str, str] | Refusal:
    """The configuration after the changes, or the reason why the first invalid one is refused.

    The changes must have passed ``refuse_changes``. ``before`` is the configuration of the resource itself.
    """
    after = dict(before)
    for change in sorted(changes, key=lambda change: place(change.name)):
        kind = keys[change.name].kind if change.name in keys else Kind.UNKNOWN
        if change.op == Op.DELETE:
            after.pop(change.name, None)
        elif change.op == Op.SET:
            after[change.name] = (change.value or "").strip()
        elif change.op not in set(Op):
            return Refusal(ErrorCode.UNKNOWN_SERVER_ERROR, "There is no such operation.")
        elif kind is not Kind.LIST:
            name = Op(change.op).name
            text = f"Can't {name} to key {change.name} because its type is not LIST."
            return Refusal(ErrorCode.INVALID_CONFIG, text)
        else:
            now = _items(after.get(change.name, keys[change.name].default))
            after[change.name] = ",".join(_combined(now, _split(change.value or ""), Op(change.op)))
    return after


def _items(text: str) -> list[str]:
    return [item for item in text.split(",") if item]


def _combined(now: list[str], change: list[str], op: Op) -> list[str]:
    after = list(now)
    for item in change:
        if op is Op.APPEND and item not in after:
            after.append(item)
        elif op is Op.SUBTRACT and item in after:
            after.remove(item)
    return after


def _split(text: str) -> list[str]:
    """Split as Java does: an empty text is one empty item, and empty items at the end are dropped."""
    items = text.split(",")
    while len(items) > 1 and not items[-1]:
        items.pop()
    return [] if items == [""] and text else items
