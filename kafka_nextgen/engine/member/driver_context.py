"""What drivers of members share: the other parts of the engine, and the interface of both machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from attrs import frozen

from kafka_nextgen.engine.io_thread import TaskSet
from kafka_nextgen.engine.mailbox import Mailbox
from kafka_nextgen.engine.member.identity import MemberIdentity
from kafka_nextgen.engine.observability.counters import GroupCounters
from kafka_nextgen.engine.offsets.group_offsets import GroupOffsets
from kafka_nextgen.engine.reading.fetcher import Fetcher
from kafka_nextgen.transport.cluster import ClusterClient

if TYPE_CHECKING:
    from kafka_nextgen.membership.classic.states import Status as ClassicStatus
    from kafka_nextgen.membership.states import Phase, Status

__all__ = ["DriverContext", "Machine"]


@frozen
class DriverContext:
    """The parts of the engine that a driver uses; ``*_s`` is in seconds, ``*_ms`` in milliseconds."""

    cluster: ClusterClient
    identity: MemberIdentity
    offsets: GroupOffsets
    fetcher: Fetcher
    mailbox: Mailbox
    tasks: TaskSet
    request_timeout_s: float
    max_poll_interval_ms: int
    metadata_max_age_s: float
    counters: GroupCounters


class Machine(Protocol):
    """The interface of both membership machines."""

    state: Any

    def handle(self, event: Any, now: float, chance: float) -> tuple[object, ...]:
        """Handle an event; returns effects."""

    def deadline(self) -> float | None:
        """When ``TimePassed`` is due (monotonic seconds), None for never."""

    @property
    def member_id(self) -> str:
        """The member id."""

    @property
    def member_epoch(self) -> int:
        """The member epoch, or the generation."""

    @property
    def status(self) -> Status | ClassicStatus:
        """The status in the group."""

    @property
    def phase(self) -> Phase:
        """What the member waits for."""

    @property
    def wants_poll(self) -> bool:
        """Whether the member waits for the application to poll."""
