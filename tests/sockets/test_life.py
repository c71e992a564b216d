"""The main arrows of a member's life on real sockets, told by what it says to its coordinator.

What it says is written as in ``spoken``: heartbeats that say nothing but that the member is there are left out.
"""

from __future__ import annotations

from itertools import groupby

import pytest

from kafka_nextgen import Consumer, RebalanceCause
from kafka_nextgen.wire.frames import RequestFrame
from kafka_nextgen.wire.messages import ConsumerGroupHeartbeatRequest
from tests.engine.stage import TOPIC, Hears, Stage, poll_until, read, tp, values
from tests.sockets.script import Script

JOIN, OWNS_BOTH, OWNS_ONE = "join owns=0 topics=1", "owns=2", "owns=1"


def spoken(script: Script, member_id: str) -> list[str]:
    """Return what a member said, with repetitions left out."""
    said = [_said(request) for request in tuple(script.seen)]
    return [words for words, _ in groupby(words for who, words in said if who == member_id and words)]


def _said(request: RequestFrame) -> tuple[str, str]:
    message = request.message
    if not isinstance(message, ConsumerGroupHeartbeatRequest):
        return "", ""
    verb = {0: ["join"], -1: ["leave"], -2: ["leave for a while"]}.get(message.member_epoch, [])
    owned, topics = message.topic_partitions, message.subscribed_topic_names
    owns = [] if owned is None else [f"owns={sum(len(topic.partitions) for topic in owned)}"]
    subscribes = [] if topics is None else [f"topics={len(topics)}"]
    return message.member_id, " ".join([*verb, *owns, *subscribes])


def subscribed(stage: Stage, heard: Hears, **more: object) -> Consumer:
    consumer = stage.consumer(**more)
    consumer.subscribe([TOPIC], listener=heard)
    return consumer


def share_evenly(one: Consumer, other: Consumer) -> bool:
    """Poll the first; tell whether each has one of two partitions, at one epoch."""
    one.poll(timeout=0.02)
    epochs = {consumer.group_metadata().member_epoch for consumer in (one, other)}
    return len(one.assignment()) == len(other.assignment()) == len(epochs) == 1


def test_a_member_joins_acknowledges_what_it_gets_and_leaves(script: Script, stage: Stage) -> None:
    stage.create(partitions=2, records=5)
    heard = Hears()
    with subscribed(stage, heard) as consumer:
        read(consumer, 10)
        me = consumer.group_metadata().member_id
        script.wait_for("acknowledgement")
    assert spoken(script, me) == [JOIN, OWNS_BOTH, "leave"]
    assert heard.calls == ["assigned orders[0-1]", "revoked orders[0-1]"]


def test_a_partition_goes_to_another_member_only_when_its_owner_says_that_it_let_go(
    script: Script, stage: Stage
) -> None:
    stage.create(partitions=2, records=5)
    here, there = Hears(), Hears()
    with subscribed(stage, here) as first:
        read(first, 10)
        first.commit()
        with subscribed(stage, there) as second:
            poll_until(first, lambda: second.poll(timeout=0.02) is not None and len(second.assignment()) == 1)
            one, two = (consumer.group_metadata().member_id for consumer in (first, second))
            poll_until(first, lambda: OWNS_ONE in spoken(script, two))
        poll_until(first, lambda: spoken(script, one)[3:] == [OWNS_BOTH])
    assert spoken(script, one) == [JOIN, OWNS_BOTH, OWNS_ONE, OWNS_BOTH, "leave"]
    said = spoken(script, two)
    if "owns=1 topics=1" in said:  # acknowledges that it has nothing, and names what it was told of meanwhile
        said.remove("owns=1 topics=1")
    assert said == [JOIN, "owns=0 topics=1", OWNS_ONE, "leave"]  # in full, as long as it has nothing
    (moved,) = [call.removeprefix("revoked ") for call in here.calls if call.startswith("revoked")][:1]
    assert [call for call in there.calls if not call.endswith("-")] == [f"assigned {moved}", f"revoked {moved}"]
    order = [_said(request) for request in script.seen]
    let_go, taken = order.index((one, OWNS_ONE)), order.index((two, OWNS_ONE))
    assert let_go < taken


def test_a_member_says_at_once_that_it_wants_other_topics(script: Script, stage: Stage) -> None:
    stage.create(partitions=2, records=5)
    stage.cluster.create_topic("audit", 1)
    with subscribed(stage, Hears()) as consumer:
        read(consumer, 10)
        consumer.subscribe([TOPIC, "audit"])
        me = consumer.group_metadata().member_id
        poll_until(consumer, lambda: spoken(script, me)[-1] == "owns=3")
    assert spoken(script, me)[:4] == [JOIN, OWNS_BOTH, "topics=2", "owns=3"]


@pytest.mark.parametrize(
    ("more", "farewell"),
    [({}, "leave"), ({"group_instance_id": "reader"}, "leave for a while")],
    ids=["dynamic", "static"],
)
def test_who_stops_polling_leaves_by_itself_and_is_back_as_the_same_member_with_the_next_poll(
    script: Script, turned_stage: Stage, more: dict[str, object], farewell: str
) -> None:
    turned_stage.create(partitions=2, records=5)
    heard = Hears()
    with subscribed(turned_stage, heard, max_poll_interval_ms=30_000, fetch_max_wait_ms=20_000, **more) as consumer:
        read(consumer, 10)
        me = consumer.group_metadata().member_id
        script.wait_for("acknowledgement")
        turned_stage.cluster.advance(seconds=31)
        script.wait_for("leave")
        assert len(script.came("join")) == 1, "nothing comes back without a poll"
        assert values(read(consumer, 10)) == [0, 1, 2, 3, 4] * 2, "what was not committed comes again"
        assert consumer.group_metadata().member_id == me
        poll_until(consumer, lambda: len(consumer.rebalances()) == 3)
        assert [one.cause for one in consumer.rebalances()] == [
            RebalanceCause.JOINED,
            RebalanceCause.POLL_TIMEOUT,
            RebalanceCause.JOINED,
        ]
    assert spoken(script, me) == [JOIN, OWNS_BOTH, farewell, JOIN, OWNS_BOTH, farewell]
    assert heard.calls == [
        *("assigned orders[0-1]", "lost orders[0-1]"),
        *("assigned orders[0-1]", "revoked orders[0-1]"),
    ]


def test_a_static_member_comes_back_within_its_session_to_what_it_had(script: Script, stage: Stage) -> None:
    stage.create(partitions=2, records=5)
    with (
        subscribed(stage, Hears(), group_instance_id="a") as other,
        subscribed(stage, Hears(), group_instance_id="b") as first,
    ):
        poll_until(other, lambda: share_evenly(first, other))
        had = first.assignment()
        first.close()
        epoch = other.group_metadata().member_epoch
        with subscribed(stage, Hears(), group_instance_id="b") as again:
            poll_until(other, lambda: again.poll(timeout=0.02) is not None and bool(again.assignment()))
            assert again.assignment() == had
        assert other.group_metadata().member_epoch == epoch
        assert other.assignment() == {tp(0), tp(1)} - had
