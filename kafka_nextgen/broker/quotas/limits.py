"""Which limits hold for which clients (KIP-13, KIP-55, KIP-546).

A limit is set for an entity: a user, a client id, both together, or the default of either. For one client the most
particular entity counts that has the limit, in the order of ``_candidates``. A client that falls under a default has
the limit for itself; what is shared is only the limit of a user or client id among its connections.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import Enum
from typing import Any, Final

from attrs import frozen

from kafka_nextgen.broker.storage import Catalogue

__all__ = ["DEFAULT", "Entity", "Limit", "LimitKind", "Limits"]


class LimitKind(Enum):
    """What is limited, by Kafka's names."""

    PRODUCED_BYTES = "producer_byte_rate"
    FETCHED_BYTES = "consumer_byte_rate"
    REQUEST_TIME = "request_percentage"  # of one thread's time


class _Default(Enum):
    DEFAULT = "default"


#: In place of a name: everybody who has no limit of their own.
DEFAULT: Final = _Default.DEFAULT

_KIND: Final = "client-quota"
_WRITTEN_DEFAULT: Final = [DEFAULT.value]  # no name is a list

Name = str | _Default | None


@frozen
class Entity:
    """A user, a client id, or both; None stands for any, which is not the same as the default."""

    user: Name = None
    client_id: Name = None


@frozen
class Limit:
    """So much in a second, shared by the connections of ``holder``."""

    amount: float
    holder: Entity


class Limits:
    """All limits that are set, kept in a catalogue."""

    def __init__(self) -> None:
        self._catalogue = Catalogue()
        self._by_entity: dict[Entity, dict[LimitKind, float]] = {}

    def recover(self, catalogue: Catalogue) -> None:
        """Set the limits that a catalogue kept, and have it keep what comes."""
        self._catalogue = catalogue
        for key, value in catalogue.entries(_KIND).items():
            self._by_entity[_entity(key)] = _amounts(value)

    def all(self) -> Iterator[tuple[Entity, dict[LimitKind, float]]]:
        """Every entity that has limits, with those."""
        yield from ((entity, dict(limits)) for entity, limits in self._by_entity.items())

    def set(self, entity: Entity, kind: LimitKind, amount: float | None) -> None:
        """Set a limit, or take it away (None); raises ``StorageError``."""
        limits = {**self._by_entity.get(entity, {}), kind: amount}
        amounts = {kind: amount for kind, amount in limits.items() if amount is not None}
        if amounts:
            self._catalogue.put(_KIND, _key(entity), {kind.value: amount for kind, amount in amounts.items()})
            self._by_entity[entity] = amounts
        else:
            self._catalogue.remove(_KIND, _key(entity))
            self._by_entity.pop(entity, None)

    def of(self, user: str, client_id: str, kind: LimitKind) -> Limit | None:
        """The limit that holds for a client, if any does."""
        for entity in _candidates(user, client_id):
            amount = self._by_entity.get(entity, {}).get(kind)
            if amount is not None:
                holder = Entity(user if entity.user else None, client_id if entity.client_id else None)
                return Limit(amount, holder)
        return None


def _candidates(user: str, client_id: str) -> Iterator[Entity]:
    for of_user in (user, DEFAULT):
        for of_client in (client_id, DEFAULT, None):
            yield Entity(of_user, of_client)
    for of_client in (client_id, DEFAULT):
        yield Entity(None, of_client)


def _key(entity: Entity) -> str:
    names = (entity.user, entity.client_id)
    return json.dumps([_WRITTEN_DEFAULT if name is DEFAULT else name for name in names])


def _entity(key: str) -> Entity:
    return Entity(*(DEFAULT if name == _WRITTEN_DEFAULT else name for name in json.loads(key)))


def _amounts(value: Any) -> dict[LimitKind, float]:
    return {LimitKind(kind): amount for kind, amount in value.items()}
