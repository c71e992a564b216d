"""Write docs/internals/one-heartbeat.md, with an exchange that takes place here.

python docs/tools/make_one_heartbeat.py
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

from attrs import frozen

from kafka_nextgen.membership.effects import SendHeartbeat
from kafka_nextgen.membership.events import HeartbeatAnswered, Polled, Subscribed
from kafka_nextgen.membership.member import Member
from kafka_nextgen.membership.settings import MemberSettings
from kafka_nextgen.offsets_topic.extensions import encode
from kafka_nextgen.requests.consumer_group_heartbeat import to_event, to_request
from kafka_nextgen.testing.coordinator.coordinator import Coordinator, Outcome
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat, TopicImage, TopicsChanged
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings
from kafka_nextgen.testing.messages.consumer_group_heartbeat import from_request, to_response
from kafka_nextgen.types import TopicId, TopicIdPartition, format_topic_ids
from kafka_nextgen.wire.apis import CONSUMER_GROUP_HEARTBEAT
from kafka_nextgen.wire.frames import decode_request, decode_response, encode_request, encode_response
from kafka_nextgen.wire.messages import ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse

__all__ = ["one_heartbeat_page"]

PAGE = Path(__file__).parents[1] / "internals" / "one-heartbeat.md"
TEXT = PAGE.with_suffix(".txt")

GROUP, VERSION, CLIENT, HOST = "billing", 1, "kafka-nextgen", "/127.0.0.1"
ALICE, BOB = "a11ce000-0000-4000-8000-000000000001", "b0b00000-0000-4000-8000-000000000002"
ORDERS = TopicId("0ade2448-db1c-4b0e-a4b2-be209d3a45bb")
BEGAN_S = 1_700_000_000.0
LENGTH_BYTES = 4
WIDTH = 118


@frozen
class Exchange:
    """One heartbeat and everything it was on its way."""

    effect: SendHeartbeat
    request_frame: bytes
    request: ConsumerGroupHeartbeat
    outcome: Outcome
    answer_frame: bytes
    event: HeartbeatAnswered


class Talk:
    """Members of one group and their coordinator, with the bytes between them and no sockets."""

    def __init__(self) -> None:
        self._coordinator = Coordinator(CoordinatorSettings(group_consumer_assignment_interval_ms=0))
        topics = {"orders": TopicImage(ORDERS, "orders", 4)}
        self._coordinator.commit(self._coordinator.handle(TopicsChanged(topics), BEGAN_S))
        self._numbers = 0

    def exchange(self, effect: SendHeartbeat, at_s: float) -> Exchange:
        """Send a heartbeat and bring back the answer, through every layer but the sockets."""
        self._numbers += 1
        message = to_request(effect, GROUP, VERSION)
        request_frame = encode_request(message, VERSION, self._numbers, CLIENT)
        arrived = decode_request(request_frame[LENGTH_BYTES:])
        assert isinstance(arrived.message, ConsumerGroupHeartbeatRequest)
        request = from_request(arrived.message, arrived.client_id or "", HOST)
        outcome = self._coordinator.handle(request, BEGAN_S + at_s)
        self._coordinator.commit(outcome)
        assert isinstance(outcome.response, ConsumerGroupHeartbeatAnswer)
        response = to_response(outcome.response)
        answer_frame = encode_response(CONSUMER_GROUP_HEARTBEAT, response, VERSION, arrived.correlation_id)
        _, answer = decode_response(CONSUMER_GROUP_HEARTBEAT, VERSION, answer_frame[LENGTH_BYTES:])
        assert isinstance(answer, ConsumerGroupHeartbeatResponse)
        event = to_event(effect.number, answer)
        assert isinstance(event, HeartbeatAnswered)
        return Exchange(effect, request_frame, request, outcome, answer_frame, event)


class Joining:
    """A member that subscribes to orders: its machine, and the first heartbeat of it."""

    def __init__(self, member_id: str) -> None:
        self.member = Member(MemberSettings(GROUP), member_id)
        effects = [
            *self.member.handle(Subscribed(frozenset({"orders"})), 0.0, 0.5),
            *self.member.handle(Polled(), 0.0, 0.5),
        ]
        (self.heartbeat,) = [effect for effect in effects if isinstance(effect, SendHeartbeat)]


def one_heartbeat_page() -> str:
    """The page, as it should be."""
    talk, bob = Talk(), Joining(BOB)
    alice = talk.exchange(Joining(ALICE).heartbeat, 0.0)
    epoch = alice.event.member_epoch
    talk.exchange(SendHeartbeat(2, ALICE, epoch, owned=alice.event.assignment), 1.0)
    joined = talk.exchange(bob.heartbeat, 2.0)
    told = talk.exchange(SendHeartbeat(3, ALICE, epoch), 3.0)
    bob.member.handle(joined.event, 0.0, 0.5)
    page = TEXT.read_text()
    for name, text in {**_values(joined), "status": bob.member.status.name, **_sequel(alice, told)}.items():
        assert f"<{name}>" in page, name
        page = page.replace(f"<{name}>", text)
    return page


def _values(bob: Exchange) -> dict[str, str]:
    return {
        "effect": _fields(bob.effect),
        "request-bytes": _hex(bob.request_frame),
        "request": _fields(bob.request),
        "records": "\n".join(
            _wrapped(f"{number}. {_plain(record)}") for number, record in enumerate(bob.outcome.records, 1)
        ),
        "record-bytes": "\n".join(_key_and_value(record) for record in bob.outcome.records[:2]),
        "timers": "\n".join(_wrapped(_plain(change)) for change in bob.outcome.timers),
        "answer": _fields(bob.outcome.response),
        "answer-bytes": _hex(bob.answer_frame),
        "event": _fields(bob.event),
    }


def _sequel(alice: Exchange, told: Exchange) -> dict[str, str]:
    return {
        "alice-before": _owned(alice.event.assignment),
        "alice-after": _owned(told.event.assignment),
        "alice-epoch": str(told.event.member_epoch),
        "alice-record": _wrapped(_plain(told.outcome.records[0])),
    }


def _owned(partitions: frozenset[TopicIdPartition] | None) -> str:
    return "unchanged" if partitions is None else format_topic_ids(partitions, {ORDERS: "orders"})


def _plain(value: object) -> str:
    """A value with the ids by name, as people read them."""
    text = str(value)
    for spelled, name in (
        (f"UUID('{ORDERS}')", "ORDERS"),
        (f"'{ALICE}'", "ALICE"),
        (f"'{BOB}'", "BOB"),
    ):
        text = text.replace(spelled, name)
    text = re.sub(r"TopicIdPartition\(topic_id=ORDERS, partition=(\d)\)", r"orders[\1]", text)
    return re.sub(r"<(\w+\.\w+): \d+>", r"\1", text)


def _wrapped(text: str) -> str:
    return "\n".join(textwrap.wrap(text, WIDTH, subsequent_indent="   "))


def _fields(value: object) -> str:
    """A value, one field to a line."""
    kind = type(value)
    shown = (attribute for attribute in kind.__attrs_attrs__ if attribute.repr)  # type: ignore[attr-defined]
    names = [attribute.name for attribute in shown]
    lines = [f"    {name}={_plain(repr(getattr(value, name)))}," for name in names]
    return "\n".join([f"{kind.__name__}(", *lines, ")"])


def _key_and_value(record: object) -> str:
    encoded = encode(record)  # type: ignore[arg-type]
    value = "" if encoded.value is None else encoded.value.hex(" ")
    lines = [f"{type(record).__name__}", f"  key    {encoded.key.hex(' ')}", f"  value  {value}"]
    return "\n".join(part for line in lines for part in textwrap.wrap(line, WIDTH, subsequent_indent="         "))


def _hex(data: bytes) -> str:
    """Bytes as a dump: sixteen to a line, with what is text beside them."""
    lines = []
    for at in range(0, len(data), 16):
        part = data[at : at + 16]
        text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in part)
        lines.append(f"{at:04x}  {part.hex(' '):<47}  {text}")
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(one_heartbeat_page())
