"""Static members (KIP-345; KIP-848, "Static Membership"): what a restart costs the group, and whose the name is.

A member that closes by default says that it will be back. One that was killed could not say so: its name stays
taken until its session ends, and its successor waits for that. Two that live at the same time can't share a name.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from kafka_nextgen import Consumer, FencedInstanceError, InstanceIdInUseError
from kafka_nextgen.admin import GroupAdmin, GroupState
from tests.endtoend.crew import Crew
from tests.endtoend.reading import numbers, poll_until, read
from tests.endtoend.static_life import join, replace
from tests.support.clients import create_topic, members_of, produce, stored_offsets, unique
from tests.support.kafka_server import KafkaServer

PARTITIONS = 4


@pytest.fixture(scope="module")
def kafka(every_kafka: KafkaServer) -> KafkaServer:
    return every_kafka


@pytest.fixture
def group() -> str:
    return unique("static")


def numbered_topic(kafka: KafkaServer) -> str:
    """Return a topic with records 0 to 39."""
    topic = create_topic(kafka.bootstrap_servers, "static", PARTITIONS)
    produce(kafka.bootstrap_servers, topic, 40, partitions=PARTITIONS)
    return topic


@pytest.fixture(scope="module")
def topic(kafka: KafkaServer) -> str:
    """Return a topic with records 0 to 39, for tests that write nothing to it."""
    return numbered_topic(kafka)


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """Close the consumers of a test at its end."""
    with ExitStack() as stack:
        yield stack


def share(kafka: KafkaServer, group: str, *consumers: Consumer) -> None:
    """Poll until all partitions are assigned, each consumer has some, and none is about to give one up."""
    with GroupAdmin(bootstrap_servers=kafka.bootstrap_servers) as admin:

        def is_shared() -> bool:
            shares = [len(one.assignment()) for one in consumers]
            return (
                all(shares) and sum(shares) == PARTITIONS and admin.describe([group])[group].state is GroupState.STABLE
            )

        poll_until(consumers, is_shared)


def read_up_to(offset: int, *consumers: Consumer) -> set[int]:
    """Poll until every assigned partition was read up to ``offset``; return the offsets that came."""
    records = poll_until(
        consumers, lambda: all(one.position(tp) == offset for one in consumers for tp in one.assignment())
    )
    return {record.offset for record in records}


def test_a_restart_disturbs_nobody(kafka: KafkaServer, group: str, stack: ExitStack) -> None:
    topic = numbered_topic(kafka)
    with GroupAdmin(bootstrap_servers=kafka.bootstrap_servers) as admin:  # or its session may end on a busy machine
        admin.alter_config(group, {"consumer.session.timeout.ms": 45_000})
    first, _ = join(kafka, group, topic, group_instance_id="first")
    second, second_heard = join(kafka, group, topic, group_instance_id="second")
    third, third_heard = join(kafka, group, topic)
    others = [stack.enter_context(second), stack.enter_context(third)]
    share(kafka, group, first, *others)
    read_up_to(10, first, *others)
    first.commit()
    before, heard_before = first.assignment(), [*second_heard.events, *third_heard.events]
    first.close()
    for _ in range(8):  # through more than one heartbeat, so that they would hear of it
        assert [record for one in others for record in one.poll(timeout=0.1)] == []

    again, again_heard = join(kafka, group, topic, group_instance_id="first")
    stack.enter_context(again)
    share(kafka, group, again, *others)
    produce(kafka.bootstrap_servers, topic, 40, partitions=PARTITIONS, first=40)
    assert read_up_to(20, again, *others) == set(range(10, 20))
    assert again.assignment() == before
    assert again_heard.moves() == [("assigned", {tp.partition for tp in before})]
    assert [*second_heard.events, *third_heard.events] == heard_before


def test_a_killed_member_comes_back_by_itself(kafka: KafkaServer, topic: str, group: str, tmp_path: Path) -> None:
    by_name = "group.remote.assignor=range"  # which puts static members in the order of their names
    with Crew(kafka.bootstrap_servers, group, topic, PARTITIONS, tmp_path) as crew:
        crew.start("A", by_name, "group.instance.id=a")
        crew.start("B", by_name, "group.instance.id=b")
        crew.wait_until("both have a half", lambda: crew.owned("A") == {0, 1} and crew.owned("B") == {2, 3})
        crew.kill("A")
        crew.start("A again", by_name, "group.instance.id=a")
        crew.wait_until("it has its half again", lambda: crew.owned("A again") == {0, 1} and crew.owned("B") == {2, 3})
        crew.leave("A again", "B")
    told = [line.what for line in crew.workers["B"].lines + crew.workers["A again"].lines]
    assert "lost" not in told


@pytest.mark.parametrize("retry_timeout_ms", [0, 2000])
def test_a_name_that_is_taken_is_refused(
    kafka: KafkaServer, topic: str, group: str, stack: ExitStack, retry_timeout_ms: int
) -> None:
    owner, heard = join(kafka, group, topic, group_instance_id="reader")
    stack.enter_context(owner)
    read(owner, 40)
    second, second_heard = join(
        kafka, group, topic, group_instance_id="reader", instance_id_retry_timeout_ms=retry_timeout_ms
    )
    stack.enter_context(second)
    with pytest.raises(InstanceIdInUseError, match="reader"):
        poll_until([second, owner], lambda: False)
    assert second_heard.events == []
    assert heard.moves() == [("assigned", {0, 1, 2, 3})]
    assert list(members_of(kafka.bootstrap_servers, group).values()) == [{0, 1, 2, 3}]


def test_a_name_is_waited_for(kafka: KafkaServer, topic: str, group: str, stack: ExitStack) -> None:
    owner, _ = join(kafka, group, topic, group_instance_id="reader")
    read(owner, 40)
    second, heard = join(kafka, group, topic, group_instance_id="reader", instance_id_retry_timeout_ms=20_000)
    stack.enter_context(second)
    assert list(second.poll(timeout=1)) == [], "it has no partitions yet"
    owner.close()
    assert numbers(read(second, 40)) == list(range(40)), "nothing was committed"
    assert heard.moves() == [("assigned", {0, 1, 2, 3})]


def test_an_owner_that_was_replaced_learns_that_it_is_fenced(
    kafka: KafkaServer, topic: str, group: str, stack: ExitStack
) -> None:
    owner, heard = join(kafka, group, topic, group_instance_id="reader")
    stack.enter_context(owner)
    read(owner, 40)
    owner.commit(dict.fromkeys(owner.assignment(), 3))
    (member_id,) = members_of(kafka.bootstrap_servers, group)
    replace(kafka, group, topic, "reader", member_id)
    with pytest.raises(FencedInstanceError, match="reader"):
        poll_until([owner], lambda: False)
    while owner.assignment() or heard.held():
        with suppress(FencedInstanceError):  # every poll raises it, also one that comes before the loss is told
            owner.poll(timeout=0.2)
    assert heard.moves()[-1] == ("lost", {0, 1, 2, 3})
    assert set(stored_offsets(kafka.bootstrap_servers, group).values()) == {3}


def test_a_static_member_may_leave_for_good(kafka: KafkaServer, topic: str, group: str, stack: ExitStack) -> None:
    first, _ = join(kafka, group, topic, group_instance_id="first")
    second, heard = join(kafka, group, topic, group_instance_id="second")
    stack.enter_context(second)
    share(kafka, group, first, second)
    given_up = {tp.partition for tp in first.assignment()}
    first.close(leave="leave")
    assert len(members_of(kafka.bootstrap_servers, group)) == 1, "its session is not waited for"
    poll_until([second], lambda: heard.held() == {0, 1, 2, 3})
    assert heard.moves()[-1] == ("assigned", given_up)


def test_a_dynamic_member_that_remains_keeps_its_partitions_for_its_session(
    kafka: KafkaServer, topic: str, group: str, stack: ExitStack
) -> None:
    first, _ = join(kafka, group, topic)
    second, _ = join(kafka, group, topic)
    stack.enter_context(second)
    share(kafka, group, first, second)
    kept = second.assignment()
    first.close(leave="remain")
    assigned, members = kept, members_of(kafka.bootstrap_servers, group)
    assert len(members) == 2
    while len(members) == 2:
        assert assigned == kept, "the other one still counted as a member after this was noted"
        second.poll(timeout=0.2)
        assigned, members = second.assignment(), members_of(kafka.bootstrap_servers, group)
    share(kafka, group, second)
