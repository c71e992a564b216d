"""A conversation over a connection, and its questions as the broker got them."""

from __future__ import annotations

from attrs import Factory, define

from kafka_nextgen.transport.conversation import Errand, Relaying
from kafka_nextgen.wire.apis import FETCH, Answer
from kafka_nextgen.wire.messages import FetchRequest
from kafka_nextgen.wire.schema import Message
from tests.transport.scripted import ScriptedBroker

__all__ = ["Talk", "numbers"]


@define
class Talk:
    """A conversation of ``length`` questions that are numbered by how many bytes they want."""

    length: int
    so_far: int = 1
    heard: list[str] = Factory(list)
    has_bug: bool = False

    def begin(self, version: int) -> Message:
        return FetchRequest(max_bytes=self.so_far, topics=[], forgotten_topics_data=[])

    def go_on(self, answer: Answer) -> Message | None:
        self.heard.append(f"answer {self.so_far}")
        assert not self.has_bug, "a bug"
        if self.so_far == self.length:
            return None
        self.so_far += 1
        return self.begin(-1)

    def went_on(self) -> None:
        self.heard.append(f"asked {self.so_far}")

    @property
    def is_routine(self) -> bool:
        return False

    def relay(self, errand: Errand) -> Relaying | None:
        raise AssertionError("nobody asks where it is not routine")


def numbers(broker: ScriptedBroker) -> list[int]:
    """The questions a broker has got."""
    return [request.message.max_bytes for request in broker.asked(FETCH) if request.message is not None]
