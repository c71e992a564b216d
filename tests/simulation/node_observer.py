"""What is told of a broker node, and what it asks of its cluster."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Protocol

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.coordinator import Outcome
from kafka_nextgen.coordinator.requests import Request, TopicImage
from kafka_nextgen.coordinator.responses import Response
from kafka_nextgen.types import TopicId
from tests.simulation.recording import Recording

if TYPE_CHECKING:
    from tests.simulation.nodes import Node

__all__ = ["Controller", "Observer", "Reply", "Standing"]

Reply = Callable[[Response | None], None]


class Standing(Enum):
    """What a node is to the partition, with what it answers."""

    ELSEWHERE = ErrorCode.NOT_COORDINATOR
    LOADING = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    ACTIVE = ErrorCode.NONE


class Observer(Protocol):
    """Who looks at a coordinator's work from outside."""

    def in_force(self, node: Node, request: Request | None, outcome: Outcome) -> None:
        """An outcome was appended and put into force."""

    def asked(self, node: Node, request: Request, outcome: Outcome) -> None:
        """A request was worked out, and nothing of it is in force yet."""

    def expired(self, node: Node, outcome: Outcome) -> None:
        """Timers ran out, and nothing that comes of it is in force yet."""

    def worked_out(self, node: Node, request: Request, response: Response | None) -> None:
        """What a request wrote is in force; its answer has not left yet."""

    def loaded(self, node: Node) -> None:
        """A coordinator has read its log."""


class Controller(Protocol):
    """What a node asks of its cluster."""

    recording: Recording | None
    topics: dict[str, TopicImage]
    names: dict[TopicId, str]  # of all topics that ever were

    def is_led_by(self, node: Node) -> bool:
        """Whether this node leads."""

    def can_append(self, node: Node) -> bool:
        """Whether enough replicas are in sync."""

    def appended(self, node: Node) -> None:
        """The log of a node has grown."""

    def lacks(self, client: str, request: Request) -> ErrorCode:
        """The code of the rights that this client does not have just now; NONE if it has them."""

    def crash_for_a_while(self, node: Node) -> bool:
        """Let a node go, with all that was under way; it comes back. False if it is the last one."""

    def high_watermark(self, node: Node) -> int:
        """Up to which offset all replicas in sync have what this node appended."""
