"""Static members (KIP-345; KIP-848, "Static Membership"): what a restart costs the group, and whose the name is.

A member that closes by default says that it will be back. One that was killed could not say so: its name stays
taken until its session ends, and its successor waits for that. Two that live at the same time can't share a name.
"""

from __future__ import annotations

from contextlib import ExitStack, suppress
from pathlib import Path
from uuid import uuid4

import pytest

from kafka_nextgen import Consumer, FencedInstanceError, InstanceIdInUseError
from kafka_nextgen.admin import GroupAdmin, GroupState
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.apis import CONSUMER_GROUP_HEARTBEAT
from kafka_nextgen.wire.messages import ConsumerGroupHeartbeatRequest
from tests.endtoend.crew import Crew
from tests.endtoend.heard import Heard
from tests.endtoend.reading import config_of, numbers, poll_until, read
from tests.support.clients import create_topic, members_of, produce, stored_offsets
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import eventually
from tests.testing.broker.client import Client

PARTITIONS = 4
LEAVES_FOR_A_WHILE, LEAVES, JOINS = -2, -1, 0
REBALANCE_TIMEOUT_MS = 30_000


@pytest.fixture(scope="module")
def kafka(every_kafka: KafkaServer) -> KafkaServer:
    return every_kafka


def numbered_topic(kafka: KafkaServer) -> str:
    """Return a topic with records 0 to 39."""
    topic = create_topic(kafka.bootstrap_servers, "static", PARTITIONS)
    produce(kafka.bootstrap_servers, topic, 40, partitions=PARTITIONS)
    return topic


#: For tests that write nothing to it.
topic = pytest.fixture(scope="module", name="topic")(numbered_topic)


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


@pytest.mark.parametrize("protocol", ["consumer", "range", "cooperative-sticky"])
def test_a_restart_disturbs_nobody(kafka: KafkaServer, group: str, stack: ExitStack, protocol: str) -> None:
    topic, config = numbered_topic(kafka), dict[str, object]()
    if protocol == "consumer":  # its session may end on a busy machine
        with GroupAdmin(bootstrap_servers=kafka.bootstrap_servers) as admin:
            admin.alter_config(group, {"consumer.session.timeout.ms": 45_000})
    else:
        config = {"protocol": "classic", "partition_assignment_strategy": protocol, "session_timeout_ms": 45_000}
    first, _ = join(kafka, group, topic, group_instance_id="first", **config)
    second, second_heard = join(kafka, group, topic, group_instance_id="second", **config)
    third, third_heard = join(kafka, group, topic, **config)
    others = [stack.enter_context(second), stack.enter_context(third)]
    share(kafka, group, first, *others)
    read_up_to(10, first, *others)
    first.commit()
    before, heard_before = first.assignment(), [*second_heard.moves(), *third_heard.moves()]
    first.close()
    for _ in range(8):  # through more than one heartbeat, so that they would hear of it
        assert [record for one in others for record in one.poll(timeout=0.1)] == []

    again, again_heard = join(kafka, group, topic, group_instance_id="first", **config)
    stack.enter_context(again)
    share(kafka, group, again, *others)
    produce(kafka.bootstrap_servers, topic, 40, partitions=PARTITIONS, first=40)
    assert read_up_to(20, again, *others) == set(range(10, 20))
    assert again.assignment() == before
    assert again_heard.moves() == [("assigned", {tp.partition for tp in before})]
    assert [*second_heard.moves(), *third_heard.moves()] == heard_before


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
    with pytest.raises(FencedInstanceError, match="reader"):
        poll_while_replaced(owner, kafka, group, topic)
    while owner.assignment() or heard.held():
        with suppress(FencedInstanceError):  # every poll raises it, also one that comes before the loss is told
            owner.poll(timeout=0.2)
    assert heard.moves()[-1] == ("lost", {0, 1, 2, 3})
    assert set(stored_offsets(kafka.bootstrap_servers, group).values()) == {3}


# ---- how they live


def join(kafka: KafkaServer, group: str, topic: str, **more: object) -> tuple[Consumer, Heard]:
    """Return a consumer that has subscribed, and what its listener hears."""
    consumer, heard = Consumer(config_of(kafka, group, **more)), Heard()
    consumer.subscribe([topic], listener=heard)
    return consumer, heard


def poll_while_replaced(owner: Consumer, kafka: KafkaServer, group: str, topic: str) -> None:
    """Replace the owner by another member, and poll.

    A heartbeat of the owner may come between its leave, which it knows nothing of, and the other's join. Then it waits
    for its name, gets it back, and is replaced once more.
    """
    with Client(kafka.bootstrap_servers) as client:
        while True:
            other = replace(kafka, client, group, topic, "reader")
            poll_until([owner], lambda: owner.health().instance_id_wait_s is not None)
            send(client, _heartbeat(group, other, "reader", LEAVES))
            poll_until([owner], lambda: len(owner.assignment()) == PARTITIONS)


def replace(kafka: KafkaServer, client: Client, group: str, topic: str, instance_id: str) -> str:
    """Say in the only member's name that it leaves for a while, and join as another with its instance id.

    Returns the other's member id. The member itself says nothing of the kind, and may come back between the two
    requests; then both are repeated.
    """
    (member_id,) = members_of(kafka.bootstrap_servers, group)
    other = str(uuid4())
    leave = _heartbeat(group, member_id, instance_id, LEAVES_FOR_A_WHILE)
    takeover = _heartbeat(group, other, instance_id, JOINS, topic)
    eventually(f"{instance_id} has another owner", lambda: send(client, leave, takeover)[1] == ErrorCode.NONE)
    return other


def send(client: Client, *messages: ConsumerGroupHeartbeatRequest) -> list[ErrorCode]:
    """Send them at once, so that little comes between them; the first has to succeed. Return their errors."""
    for message in messages:
        client.send(message, CONSUMER_GROUP_HEARTBEAT.max_version)
    answers = [client.receive(CONSUMER_GROUP_HEARTBEAT, CONSUMER_GROUP_HEARTBEAT.max_version) for _ in messages]
    codes = [ErrorCode(answer.error_code) for answer in answers]
    assert codes[0] == ErrorCode.NONE, answers
    assert {*codes} <= {ErrorCode.NONE, ErrorCode.UNRELEASED_INSTANCE_ID}, answers
    return codes


def _heartbeat(
    group: str, member_id: str, instance_id: str, epoch: int, topic: str | None = None
) -> ConsumerGroupHeartbeatRequest:
    return ConsumerGroupHeartbeatRequest(
        group_id=group,
        member_id=member_id,
        member_epoch=epoch,
        instance_id=instance_id,
        rack_id=None,
        rebalance_timeout_ms=-1 if topic is None else REBALANCE_TIMEOUT_MS,
        subscribed_topic_names=None if topic is None else [topic],
        subscribed_topic_regex=None,
        server_assignor=None,
        topic_partitions=None if topic is None else [],
    )
