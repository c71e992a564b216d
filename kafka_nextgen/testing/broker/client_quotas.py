"""Quotas: how much a client may do per second, and how long it is throttled if it exceeds that (KIP-13, KIP-219).

A client that exceeds a quota gets its answer immediately, with its throttle time, during which the broker reads nothing
from the connection (``throttling``).

A limit (KIP-55, KIP-546) is set for an entity: a user, a client id, both together, or the default of either. For each
client the most specific entity that has the limit applies, in the order of ``_candidates``. A default limit applies to
each client separately; the connections of one user or client id share its limit.

Rates are measured over sliding windows as in Kafka: a fixed number of samples, each covering one window; the oldest
expires. At first the total is divided by the length of all windows but one, even if less time has passed, so a client
may begin with a burst. As in Kafka, a client that exceeds a byte quota is throttled until its rate is within the limit
again; one that exceeds a request-time quota is throttled for at most one window.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Generator, Iterator
from enum import Enum
from typing import Any, Final, Generic, TypeVar

from attrs import field

from kafka_nextgen.lazy_attrs import define, frozen
from kafka_nextgen.testing.broker.storage import Catalogue

__all__ = ["DEFAULT", "Entity", "Limit", "LimitKind", "Limits", "Quotas", "Rate", "Timed", "Windows"]

_PERCENT = 100.0

_T = TypeVar("_T")


class LimitKind(Enum):
    """The kinds of limits, by Kafka's names."""

    PRODUCED_BYTES = "producer_byte_rate"
    FETCHED_BYTES = "consumer_byte_rate"
    REQUEST_TIME = "request_percentage"  # of one thread's time


class _Default(Enum):
    DEFAULT = "default"


#: All users or client ids that have no limit of their own.
DEFAULT: Final = _Default.DEFAULT

_KIND: Final = "client-quota"

_WRITTEN_DEFAULT: Final = [DEFAULT.value]  # not a name, since names are strings

Name = str | _Default | None


@frozen
class Entity:
    """A user, a client id, or both; None means any, unlike ``DEFAULT``."""

    user: Name = None
    client_id: Name = None


@frozen
class Limit:
    """An amount per second, shared by the connections of ``holder``."""

    amount: float
    holder: Entity


class Limits:
    """All limits, stored in a catalogue."""

    def __init__(self) -> None:
        self._catalogue = Catalogue()
        self._by_entity: dict[Entity, dict[LimitKind, float]] = {}

    def recover(self, catalogue: Catalogue) -> None:
        """Read the limits from a catalogue, and store later changes in it."""
        self._catalogue = catalogue
        for key, value in catalogue.entries(_KIND).items():
            self._by_entity[_entity(key)] = _amounts(value)

    def all(self) -> Iterator[tuple[Entity, dict[LimitKind, float]]]:
        """Every entity that has limits, with its limits."""
        yield from ((entity, dict(limits)) for entity, limits in self._by_entity.items())

    def set(self, entity: Entity, kind: LimitKind, amount: float | None) -> None:
        """Set a limit, or remove it (None). Raises ``StorageError``."""
        limits = {**self._by_entity.get(entity, {}), kind: amount}
        amounts = {kind: amount for kind, amount in limits.items() if amount is not None}
        if amounts:
            self._catalogue.put(_KIND, _key(entity), {kind.value: amount for kind, amount in amounts.items()})
            self._by_entity[entity] = amounts
        else:
            self._catalogue.remove(_KIND, _key(entity))
            self._by_entity.pop(entity, None)

    def of(self, user: str, client_id: str, kind: LimitKind) -> Limit | None:
        """The limit that applies to a client, if any."""
        if not self._by_entity:  # nearly always, and each request asks for some limits
            return None
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


@frozen
class Windows:
    """``count`` samples of ``length_s`` seconds: ``quota.window.num`` and ``quota.window.size.seconds``."""

    count: int
    length_s: float

    @property
    def least_s(self) -> float:
        """The shortest time that a rate is measured over."""
        return (self.count - 1) * self.length_s


@define
class _Sample:
    began: float
    amount: float


@define
class Rate:
    """The rate of one client, per second. ``now`` is in seconds and never decreases."""

    windows: Windows
    _samples: list[_Sample] = field(factory=list)

    def record(self, amount: float, now: float) -> None:
        """Add an amount."""
        if not self._samples or now - self._samples[-1].began >= self.windows.length_s:
            self._samples.append(_Sample(now, 0.0))
        self._samples[-1].amount += amount

    def delay_s(self, limit: float, now: float) -> float:
        """How many seconds without further work it takes for the rate to fall to ``limit``; 0 if it is that low."""
        self._forget(now)
        if not self._samples:
            return 0.0
        total = sum(sample.amount for sample in self._samples)
        over_s = max(now - self._samples[0].began, self.windows.least_s)
        return max(total / limit - over_s, 0.0)

    def _forget(self, now: float) -> None:
        oldest = now - self.windows.count * self.windows.length_s
        self._samples = [sample for sample in self._samples if sample.began > oldest]


class Quotas:
    """The limits, and the rates of the clients they apply to."""

    def __init__(self, windows: Windows) -> None:
        self.limits = Limits()
        self._windows = windows
        self._rates: dict[tuple[LimitKind, Entity], Rate] = {}

    def delay_s(self, kind: LimitKind, user: str, client_id: str, amount: float, now: float) -> float:
        """Count an amount for a client, and return for how many seconds it is to be throttled.

        ``amount`` is in bytes, or in seconds of a thread's time; ``now`` in seconds.
        """
        limit = self.limits.of(user, client_id, kind)
        if limit is None:
            return 0.0
        rate = self._rates.setdefault((kind, limit.holder), Rate(self._windows))
        rate.record(amount * _PERCENT if kind is LimitKind.REQUEST_TIME else amount, now)
        delay_s = rate.delay_s(limit.amount, now)
        return min(delay_s, self._windows.length_s) if kind is LimitKind.REQUEST_TIME else delay_s

    def take_back(self, kind: LimitKind, user: str, client_id: str, amount: float, now: float) -> None:
        """Subtract ``amount`` bytes that were not sent; ``now`` is in seconds."""
        limit = self.limits.of(user, client_id, kind)
        if limit is not None and (kind, limit.holder) in self._rates:
            self._rates[kind, limit.holder].record(-amount, now)

    def most_bytes(self, user: str, client_id: str) -> int | None:
        """The maximum size of a fetch response in bytes: what the quota allows in ``least_s``; None without a quota."""
        limit = self.limits.of(user, client_id, LimitKind.FETCHED_BYTES)
        return None if limit is None else int(limit.amount * self._windows.least_s)


class Timed(Generic[_T]):
    """Awaits ``work`` and adds up in ``busy_s`` the time during which it is not waiting. ``timer`` returns seconds."""

    def __init__(self, work: Awaitable[_T], timer: Callable[[], float]) -> None:
        self._work = work
        self._timer = timer
        self.busy_s = 0.0

    def __await__(self) -> Generator[Any, Any, _T]:
        steps = self._work.__await__()
        sent: Any = None
        thrown: BaseException | None = None
        while True:
            began = self._timer()
            try:
                pause = steps.send(sent) if thrown is None else steps.throw(thrown)
            except StopIteration as end:
                result: _T = end.value
                return result
            finally:
                self.busy_s += self._timer() - began
            sent = thrown = None
            try:
                sent = yield pause
            except BaseException as error:  # such as the cancellation of the awaiting task
                thrown = error
