"""Assignors of the application's own in members of the consumer group protocol: when they are asked, where they run,
and what becomes of what they do wrong.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack

import pytest

from kafka_nextgen import (
    AssignorError,
    Consumer,
    RebalanceConsumer,
    RebalanceListener,
    TopicPartition,
    UnsupportedAssignorError,
)
from kafka_nextgen.assignors import (
    AssignmentSpec,
    ConsumerGroupMetadata,
    GroupAssignment,
    MemberAssignment,
    Metadata,
    PartitionAssignor,
    UniformAssignor,
)
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing import Cluster
from kafka_nextgen.testing.coordinator.extensions.responses import AssignmentPrepared
from kafka_nextgen.testing.messages.extensions.consumer_group_prepare_assignment import to_response
from kafka_nextgen.wire.apis import CONSUMER_GROUP_PREPARE_ASSIGNMENT
from tests.engine.own_assignor import Own, Work
from tests.engine.stage import GROUP, SETTINGS, TOPIC, Stage, poll_for, poll_until, read
from tests.support.waiting import GUARD_S, eventually


def to_first(group: AssignmentSpec) -> GroupAssignment:
    """Everything to the member whose word comes first."""
    first = min(group.members, key=lambda member_id: group.members[member_id].metadata.payload)
    share = {topic_id: set(range(topic.num_partitions)) for topic_id, topic in group.topics.items()}
    words = {member_id: Metadata(0, b"got " + group.members[member_id].metadata.payload) for member_id in group.members}
    members = {member_id: MemberAssignment({}, words[member_id]) for member_id in group.members}
    return GroupAssignment({**members, first: MemberAssignment(share, words[first])}, error=3)


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """Close the consumers of a test at its end."""
    with ExitStack() as stack:
        yield stack


def join(stack: ExitStack, stage: Stage, *assignors: PartitionAssignor, **more: object) -> Consumer:
    consumer = stack.enter_context(stage.consumer(group_local_assignors=assignors, **more))
    consumer.subscribe([TOPIC])
    return consumer


def poll_all(consumers: Sequence[Consumer], is_so: Callable[[], bool]) -> list[AssignorError]:
    """Poll in turn until ``is_so``, and once more for what each has to say of it; the errors of assignors meanwhile."""
    errors: list[AssignorError] = []

    def poll_each() -> bool:
        for consumer in consumers:
            try:
                consumer.poll(timeout=0.02)
            except AssignorError as error:
                errors.append(error)
        return is_so()

    eventually("it is so", poll_each, saw=lambda: errors)
    poll_each()
    return errors


def shares(consumers: Sequence[Consumer]) -> list[int]:
    return [len(consumer.assignment()) for consumer in consumers]


# ---- what it is asked, and when


def test_what_members_say_decides_and_each_is_told_once_per_epoch(stage: Stage, stack: ExitStack) -> None:
    stage.create(partitions=4)
    a, b = Own(b"a", to_first), Own(b"b", to_first)
    consumers = [join(stack, stage, assignor) for assignor in (a, b)]
    poll_all(consumers, lambda: shares(consumers) == [4, 0] and bool(b.told))

    # Another word is told with a heartbeat at once, and the group is assigned anew.
    b.word = b"0"
    poll_all(consumers, lambda: shares(consumers) == [0, 4] and counts(a)[-1] == 0 and counts(b)[-1] == 4)
    for assignor, count in ((a, 0), (b, 4)):
        epochs = [epoch for epoch, _, _ in assignor.told]
        assert epochs == sorted(set(epochs)), "once per epoch"
        _, error, assignment = assignor.told[-1]
        assert (error, assignment.metadata) == (3, Metadata(0, b"got " + assignor.word))
        assert counts(assignor)[-1] == count


def test_on_assignment_has_what_others_have_not_released_yet(stage: Stage, stack: ExitStack) -> None:
    stage.create(partitions=2)
    a = Own(b"a", to_first)
    holder = join(stack, stage, a)
    poll_all([holder], lambda: shares([holder]) == [2])
    b = Own(b"0", to_first)
    other = join(stack, stage, b)
    poll_until(other, lambda: counts(b)[-1:] == [2])  # the holder does not poll, so it gives nothing up
    assert other.assignment() == set()
    poll_all([holder, other], lambda: shares([holder, other]) == [0, 2])
    assert counts(b) == [0, 2], "that of the epoch it joined in, and that of its own"


def counts(assignor: Own) -> list[int]:
    return [sum(map(len, assignment.partitions.values())) for _, _, assignment in assignor.told]


def test_it_runs_on_a_thread_of_its_own_and_on_assignment_before_the_listener(stage: Stage, stack: ExitStack) -> None:
    stage.create(partitions=1)
    heard: list[str] = []

    class Noting(Own):
        def on_assignment(self, error: int, assignment: MemberAssignment, group: ConsumerGroupMetadata) -> None:
            heard.append(f"{threading.current_thread().name} on_assignment")

    class Listener(RebalanceListener):
        def on_partitions_assigned(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
            if partitions:
                heard.append(f"{threading.current_thread().name} assigned")

    assignor = Noting()
    consumer = stack.enter_context(stage.consumer(group_local_assignors=assignor))
    consumer.subscribe([TOPIC], listener=Listener())
    poll_until(consumer, lambda: len(heard) == 2)
    assert heard == ["MainThread on_assignment", "MainThread assigned"]
    assert assignor.threads == {f"kafka_nextgen assignors of {GROUP}"}


def test_what_on_assignment_raises_comes_out_of_poll_and_changes_nothing(stage: Stage, stack: ExitStack) -> None:
    class Raising(Own):
        def on_assignment(self, error: int, assignment: MemberAssignment, group: ConsumerGroupMetadata) -> None:
            raise ValueError("no")

    stage.create(records=10)
    consumer = join(stack, stage, Raising())
    with pytest.raises(ValueError, match="no"):
        poll_for(consumer)
    assert len(read(consumer, 10)) == 10


def test_neither_heartbeats_nor_fetching_wait_for_it(stage: Stage, stack: ExitStack) -> None:
    may_end, begun = threading.Event(), threading.Event()

    def slowly(group: AssignmentSpec) -> GroupAssignment:
        if b"slow" in {member.metadata.payload for member in group.members.values()}:
            begun.set()
            assert may_end.wait(GUARD_S)
        return UniformAssignor().assign(group)

    stage.create(partitions=1, records=10)
    assignor = Own(b"quick", slowly)
    consumer = join(stack, stage, assignor)
    read(consumer, 10)

    assignor.word = b"slow"
    poll_until(consumer, begun.is_set)
    heartbeats = consumer.metrics().group.heartbeats
    stage.write(0, 10)
    assert len(read(consumer, 10)) == 10
    poll_until(consumer, lambda: consumer.metrics().group.heartbeats > heartbeats + 3)
    epochs = len(assignor.told)
    may_end.set()
    poll_until(consumer, lambda: len(assignor.told) > epochs)
    assert consumer.rebalances()[-1].lost == ()


def test_of_several_the_one_that_all_have_is_used(stage: Stage, stack: ExitStack) -> None:
    class New(Own):
        name = "new"

    stage.create(partitions=2)
    old, new = Own(), New()
    first = join(stack, stage, new, old)
    poll_all([first], lambda: bool(new.told))
    consumers = [first, join(stack, stage, Own())]
    poll_all(consumers, lambda: shares(consumers) == [1, 1] and bool(old.told))
    assert old.told[-1][0] > new.told[-1][0]


# ---- what it does wrong


def raising(_group: AssignmentSpec) -> GroupAssignment:
    raise ValueError("boom")


def a_stranger(group: AssignmentSpec) -> GroupAssignment:
    return GroupAssignment({**UniformAssignor().assign(group).members, "nobody": MemberAssignment()})


#: The rest is in tests/assignors/test_checking.py.
WRONG: list[tuple[Work, str]] = [
    (raising, r"it raised ValueError: boom"),
    (a_stranger, "it gave partitions to nobody, which the group"),
]


def test_a_group_keeps_its_target_and_every_member_learns_why(stage: Stage, stack: ExitStack) -> None:
    stage.create(partitions=2)
    a, b = Own(b"a"), Own(b"b")
    consumers = [join(stack, stage, assignor) for assignor in (a, b)]
    poll_all(consumers, lambda: shares(consumers) == [1, 1])
    for number, (work, why) in enumerate(WRONG):
        a.work = b.work = work
        asked = len(a.groups) + len(b.groups)
        a.word = b"a%d" % number  # so that everybody is asked again
        errors = poll_all(consumers, lambda: all(consumer.health().assignor_error for consumer in consumers))
        errors += poll_all(consumers, lambda asked=asked: len(a.groups) + len(b.groups) == asked + 2)  # type: ignore[misc]
        assert shares(consumers) == [1, 1]
        for consumer in consumers:
            assert consumer.health().problem == consumer.health().assignor_error
        own = [error for error in errors if error.assignor]
        assert own, "whoever computed has what was raised at hand"
        for error in own:
            assert (error.assignor, error.group) == ("own", GROUP)
            assert isinstance(error.__cause__, ValueError) == (work is raising)
            assert re.search(why, str(error))

        a.work = b.work = None
        b.word = b"b%d" % number
        poll_all(consumers, lambda: all(consumer.health().problem is None for consumer in consumers))


def test_another_member_takes_over_from_one_whose_assignor_fails(stage: Stage, stack: ExitStack) -> None:
    stage.create(partitions=2)
    a, b = Own(b"a", raising), Own(b"b")
    first = join(stack, stage, a)
    errors = poll_all([first], lambda: first.health().assignor_error is not None)
    assert "it raised ValueError: boom" in str(errors[0])
    second = join(stack, stage, b)
    poll_all([first, second], lambda: shares([first, second]) == [1, 1])
    assert first.health().problem is None


def test_metadata_that_can_not_be_said_is_told_and_the_last_word_stays(stage: Stage, stack: ExitStack) -> None:
    stage.create(records=10)
    assignor = Own(b"a")
    consumer = join(stack, stage, assignor)
    read(consumer, 10)
    assignor.version = 3
    errors = poll_all([consumer], lambda: consumer.health().assignor_error is not None)
    errors += poll_all([consumer], lambda: consumer.metrics().group.heartbeats > 8)
    assert [str(error).split(": ", 1)[1] for error in errors] == [
        "assignor 'own' of this member failed: its metadata() returned version 3, but it reads versions 0 to 2"
    ]
    assert consumer.assignment() == {TopicPartition(TOPIC, 0)}


def test_who_can_say_nothing_at_all_does_not_join(stage: Stage) -> None:
    with stage.consumer(group_local_assignors=Own(version=3)) as consumer:
        with pytest.raises(AssignorError, match=r"own.*returned version 3"):
            consumer.subscribe([TOPIC])
        assert stage.members() == 0


# ---- where there is no such thing


@pytest.fixture
def stock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    """A broker that is as Apache Kafka is."""
    with Cluster(config=SETTINGS, extensions=False) as cluster:
        yield Stage(cluster, monkeypatch)


def test_a_cluster_that_assigns_by_itself_is_told_of_once_with_the_ways_on(stock: Stage, stack: ExitStack) -> None:
    stock.create(records=10)
    consumer = join(stack, stock, Own())
    with pytest.raises(UnsupportedAssignorError, match=r"group\.remote\.assignor.*group\.protocol=classic") as raised:
        poll_for(consumer)
    assert str(raised.value).count("group.remote.assignor") == 1, "one advice is enough"
    assert stock.members() == 0, "nothing was sent that it would have to pass over"
    with pytest.raises(UnsupportedAssignorError) as again:
        consumer.poll(timeout=0)
    assert again.value is raised.value


# ---- what may happen on the way


def test_a_coordinator_that_does_not_let_it_prepare_is_told_of(stage: Stage, stack: ExitStack) -> None:
    async def refuse(*_: object) -> object:
        return to_response(AssignmentPrepared(ErrorCode.GROUP_AUTHORIZATION_FAILED))

    stage.handle(CONSUMER_GROUP_PREPARE_ASSIGNMENT, refuse)
    stage.create()
    consumer = join(stack, stage, Own())
    with pytest.raises(
        AssignorError, match="the coordinator refused to describe the group: GROUP_AUTHORIZATION_FAILED"
    ):
        poll_for(consumer)


def test_closing_does_not_wait_for_an_assignor(stage: Stage) -> None:
    may_end, begun = threading.Event(), threading.Event()

    def forever(group: AssignmentSpec) -> GroupAssignment:
        begun.set()
        may_end.wait(GUARD_S)
        raise AssertionError("for nobody")

    stage.create()
    with stage.subscribed(group_local_assignors=Own(work=forever)) as consumer:
        poll_until(consumer, begun.is_set)
    assert stage.members() == 0
    may_end.set()
