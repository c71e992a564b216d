"""What a request may do to the configuration of any resource (KIP-339, "Incremental AlterConfigs").

| operation | what it does |
|---|---|
| SET | gives a key a value, which is not null |
| DELETE | takes it back, whether or not there is such a key |
| APPEND | puts values behind those of a list, as far as they are not in it |
| SUBTRACT | takes values out of a list, as far as they are in it |

All changes to one resource are made, or none. The older AlterConfigs (KIP-133) is the same as setting everything it
names and deleting everything else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum

from attrs import frozen

from kafka_nextgen.broker.configs.keys import ConfigKey, Kind
from kafka_nextgen.broker.refusal import Refusal
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.hash_map import place

__all__ = ["Change", "Op", "altered", "refuse_changes", "replacing"]


class Op(IntEnum):
    """What is to be done, by Kafka's numbers."""

    SET = 0
    DELETE = 1
    APPEND = 2
    SUBTRACT = 3


@frozen
class Change:
    """One key, and what is to be done to it; ``op`` is none of ``Op`` if the client is from a future."""

    name: str
    op: int
    value: str | None = None


def replacing(given: Iterable[tuple[str, str | None]], before: Iterable[str]) -> tuple[Change, ...]:
    """The changes that lead to what is ``given``, and nothing else."""
    set_all = tuple(Change(name, Op.SET, value) for name, value in given)
    named = {change.name for change in set_all}
    return set_all + tuple(Change(name, Op.DELETE) for name in before if name not in named)


def refuse_changes(changes: Sequence[Change]) -> Refusal | None:
    """Say why no resource can be altered like this; None if one might."""
    if len({change.name for change in changes}) < len(changes):
        return Refusal(ErrorCode.INVALID_REQUEST, "Error due to duplicate config keys")
    null = [change.name for change in changes if change.op != Op.DELETE and change.value is None]
    if null:
        return Refusal(ErrorCode.INVALID_REQUEST, f"Null value not supported for : {', '.join(null)}")
    return None


def altered(
    before: Mapping[str, str], changes: Iterable[Change], keys: Mapping[str, ConfigKey], defaults: Mapping[str, str]
) -> dict[str, str] | Refusal:
    """What a resource has after the changes, which ``refuse_changes`` did not refuse, or the first that can't be made.

    ``before`` is what it was given itself; ``defaults`` is what lists are without that.
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
            now = _items(after.get(change.name, defaults.get(change.name, "")))
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
    """The items as Java splits them: no text at all is an empty one, and those at the end are left out."""
    items = text.split(",")
    while len(items) > 1 and not items[-1]:
        items.pop()
    return [] if items == [""] and text else items
