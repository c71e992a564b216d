"""What a driver has between its hands: the machine that decides, and the parts that do what was decided."""

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
    """What a driver has to do with; ``*_s`` is in seconds, ``*_ms`` in milliseconds."""

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
    """What both membership machines are."""

    state: Any

    def handle(self, event: Any, now: float, chance: float) -> tuple[object, ...]:
        """Let something happen."""

    def deadline(self) -> float | None:
        """When it wants to be told that time has passed."""

    @property
    def member_id(self) -> str:
        """The id the group knows it by."""

    @property
    def member_epoch(self) -> int:
        """Its epoch, or its generation."""

    @property
    def status(self) -> Status | ClassicStatus:
        """Where it stands in its group."""

    @property
    def phase(self) -> Phase:
        """What it waits for."""

    @property
    def wants_poll(self) -> bool:
        """Whether it waits for the application to poll."""
