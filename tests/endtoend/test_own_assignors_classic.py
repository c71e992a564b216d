"""``group.local.assignors`` by the classic protocol: the group's leader runs them, on any Kafka there is."""

from __future__ import annotations

import time
from contextlib import ExitStack

import confluent_kafka
import pytest

from kafka_nextgen import AssignorError, BrokerError, Consumer, GroupProtocol, Record, UnsupportedAssignorError
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing import Cluster
from tests.endtoend.reading import QUICK_PROPERTIES, config_of, numbers, poll_until
from tests.support.clients import create_topic, produce, unique
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import GUARD_S
from tests.support.weighing import Weighing

PARTITIONS = 12
NAMED = 5  # the version of a UUID that is made of a name


def join(
    stack: ExitStack, kafka: KafkaServer, group: str, topic: str, assignor: Weighing, protocol: str = "classic"
) -> Consumer:
    quick = {key.replace(".", "_"): value for key, value in QUICK_PROPERTIES.items()} if protocol == "classic" else {}
    own = {"group_local_assignors": [assignor], "enable_auto_commit": True}
    consumer = stack.enter_context(Consumer(**config_of(kafka, group, group_protocol=protocol, **own, **quick)))
    consumer.subscribe([topic])
    return consumer


def counts(consumers: list[Consumer]) -> list[int]:
    return [len(consumer.assignment()) for consumer in consumers]


def test_three_members_share_by_the_weights_they_state(kafka: KafkaServer, stack: ExitStack) -> None:
    topic, group = create_topic(kafka.bootstrap_servers, "weights", PARTITIONS), unique("weights")
    assignors = [Weighing(4), Weighing(1), Weighing(1)]
    consumers = [join(stack, kafka, group, topic, assignor) for assignor in assignors]
    poll_until(consumers, lambda: counts(consumers) == [8, 2, 2])
    produce(kafka.bootstrap_servers, topic, 240, partitions=PARTITIONS)

    # A member says something else while it runs: nobody reads twice, and what stays is never given up.
    assignors[0].weight = 1
    before = [consumer.assignment() for consumer in consumers]
    came = poll_until(consumers, lambda: counts(consumers) == [4, 4, 4])
    kept = [had & consumer.assignment() for had, consumer in zip(before, consumers, strict=True)]
    assert [len(each) for each in kept] == [4, 2, 2]
    poll_until(consumers, lambda: len(came) >= 240, came)
    assert numbers(came) == list(range(240))

    def everybody_knows() -> bool:
        told = zip(assignors, consumers, strict=True)
        return all(assignor.heard[-1] == (one.group_metadata(), 4, "4 of 12") for assignor, one in told)

    poll_until(consumers, everybody_knows)
    for assignor in assignors:
        epochs = [told.member_epoch for told, _, _ in assignor.heard]
        assert epochs == sorted(set(epochs)), "once in each generation"
    (topic_id,) = {one for assignor in assignors for one in assignor.topic_ids}
    assert topic_id.version != NAMED, "a topic has its own id"


def test_an_assignor_that_raises_moves_nothing_and_every_application_hears_of_it(
    embedded_kafka: KafkaServer, stack: ExitStack
) -> None:
    kafka = embedded_kafka
    topic, group = create_topic(kafka.bootstrap_servers, "fails", PARTITIONS), unique("fails")
    assignors = [Weighing(), Weighing()]
    consumers = [join(stack, kafka, group, topic, assignor) for assignor in assignors]
    poll_until(consumers, lambda: counts(consumers) == [6, 6])
    before = [consumer.assignment() for consumer in consumers]

    for assignor in assignors:
        assignor.error = ValueError("no such rack")
    consumers[0].enforce_rebalance("a test wants it")
    errors = errors_of(consumers)
    assert all("ValueError: no such rack" in str(error) and error.assignor == "weighing" for error in errors)
    assert sorted(str(error.__cause__) for error in errors) == ["None", "no such rack"], "the leader's has a cause"
    assert [consumer.assignment() for consumer in consumers] == before

    # It is asked again in the next rebalance; a member that is new got nothing before that.
    for assignor in assignors:
        assignor.error = None
    consumers.append(join(stack, kafka, group, topic, Weighing()))
    poll_until(consumers, lambda: counts(consumers) == [4, 4, 4])


def errors_of(consumers: list[Consumer]) -> list[AssignorError]:
    """Poll until each of them has heard that an assignor failed."""
    heard: dict[int, AssignorError] = {}
    deadline = time.monotonic() + GUARD_S
    while len(heard) < len(consumers):
        assert time.monotonic() < deadline, f"only {len(heard)} heard of it in {GUARD_S} s"
        for place, consumer in enumerate(consumers):
            try:
                consumer.poll(timeout=0.1)
            except AssignorError as error:
                heard[place] = error
    return [heard[place] for place in range(len(consumers))]


def test_auto_runs_them_in_the_leader_where_the_broker_lets_no_member_assign(stack: ExitStack) -> None:
    cluster = stack.enter_context(Cluster(extensions=False))
    cluster.create_topic("orders", PARTITIONS)
    assignor = Weighing()
    config = {"bootstrap_servers": cluster.bootstrap_servers, "group_id": "g", "group_local_assignors": [assignor]}
    consumer = stack.enter_context(Consumer(group_protocol="auto", **config))
    consumer.subscribe(["orders"])
    poll_until([consumer], lambda: [told for _, _, told in assignor.heard] == ["12 of 12"])
    assert consumer.group_protocol is GroupProtocol.CLASSIC


# Beside confluent-kafka.


def theirs(
    stack: ExitStack, kafka: KafkaServer, group: str, topic: str, protocol: str = "classic"
) -> confluent_kafka.Consumer:
    config = {"bootstrap.servers": kafka.bootstrap_servers, "group.id": group, "enable.auto.commit": False}
    config |= {"group.protocol": protocol, **(QUICK_PROPERTIES if protocol == "classic" else {})}
    consumer = confluent_kafka.Consumer(config)
    stack.callback(consumer.close)
    consumer.subscribe([topic])
    return consumer


def test_a_client_without_the_assignor_is_refused_and_disturbs_nobody(kafka: KafkaServer, stack: ExitStack) -> None:
    topic, group = create_topic(kafka.bootstrap_servers, "beside", PARTITIONS), unique("beside")
    assignor = Weighing()
    ours = join(stack, kafka, group, topic, assignor)
    poll_until([ours], lambda: counts([ours]) == [PARTITIONS])
    asked, generation = assignor.asked, ours.group_metadata().member_epoch

    other = theirs(stack, kafka, group, topic)
    refusals: list[int] = []
    poll_until([ours], lambda: bool(_refused(other, refusals)))
    assert refusals == [confluent_kafka.KafkaError.INCONSISTENT_GROUP_PROTOCOL]
    assert (assignor.asked, ours.group_metadata().member_epoch) == (asked, generation)
    assert counts([ours]) == [PARTITIONS]


def _refused(consumer: confluent_kafka.Consumer, refusals: list[int]) -> list[int]:
    message = consumer.poll(0.1)
    if message is not None and message.error() is not None:
        refusals.append(message.error().code())
    return refusals


def test_so_is_one_that_brings_an_assignor_to_a_group_without_it(embedded_kafka: KafkaServer, stack: ExitStack) -> None:
    kafka = embedded_kafka
    topic, group = create_topic(kafka.bootstrap_servers, "beside", PARTITIONS), unique("beside")
    other = theirs(stack, kafka, group, topic)
    deadline = time.monotonic() + GUARD_S
    while len(other.assignment()) < PARTITIONS:
        assert time.monotonic() < deadline
        other.poll(0.1)
    ours = join(stack, kafka, group, topic, Weighing())
    with pytest.raises(BrokerError, match=r"group\.local\.assignors") as refused:
        poll_until([ours], lambda: False)
    assert refused.value.code == ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    other.poll(0.1)
    assert len(other.assignment()) == PARTITIONS


def test_by_the_consumer_protocol_the_broker_assigns_while_somebody_has_no_assignor(
    embedded_kafka: KafkaServer, stack: ExitStack
) -> None:
    kafka = embedded_kafka
    topic, group = create_topic(kafka.bootstrap_servers, "beside", PARTITIONS), unique("beside")
    assignor = Weighing()
    ours = join(stack, kafka, group, topic, assignor, "consumer")
    poll_until([ours], lambda: [told for _, _, told in assignor.heard] == ["12 of 12"])
    other = theirs(stack, kafka, group, topic, "consumer")
    poll_until([ours], lambda: other.poll(0.1) is None and len(other.assignment()) == counts([ours])[0] == 6)

    # Whoever comes with an assignor that not everybody has is refused, and the others share as they did.
    refused = join(stack, kafka, group, topic, Other(), "consumer")
    with pytest.raises(UnsupportedAssignorError, match="'other'"):
        poll_until([refused, ours], lambda: other.poll(0) is not None)
    assert len(other.assignment()) == counts([ours])[0] == 6
    other.close()
    poll_until([ours], lambda: [told for _, _, told in assignor.heard] == ["12 of 12"] * 2)


class Other(Weighing):
    """The same by a name that nobody else knows."""

    name = "other"


# On the way to the consumer protocol, and back, where the coordinator lets members assign.


def test_a_group_changes_its_protocol_and_back_and_keeps_its_assignor(
    embedded_kafka: KafkaServer, stack: ExitStack
) -> None:
    kafka = embedded_kafka
    topic, group = create_topic(kafka.bootstrap_servers, "migrates", PARTITIONS), unique("migrates")
    weights, came = [2, 1], list[Record]()
    assignors = [Weighing(weight) for weight in weights]
    consumers = [join(stack, kafka, group, topic, assignor) for assignor in assignors]

    def everybody_knows() -> bool:
        told = [assignor.heard[-1][1:] if assignor.heard else None for assignor in assignors]
        return counts(consumers) == [8, 4] and told == [(8, "8 of 12"), (4, "4 of 12")]

    changes = [(protocol, place) for protocol in ("consumer", "classic") for place in range(2)]
    for sent, (protocol, place) in enumerate(changes):
        poll_until(consumers, everybody_knows, came)
        produce(kafka.bootstrap_servers, topic, 60, partitions=PARTITIONS, first=60 * sent)
        consumers[place].close()
        assignors[place] = Weighing(weights[place])
        consumers[place] = join(stack, kafka, group, topic, assignors[place], protocol)
    poll_until(consumers, lambda: everybody_knows() and len(came) >= 240, came)
    assert numbers(came) == list(range(240))
