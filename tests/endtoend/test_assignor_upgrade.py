"""Rolling upgrade of an assignor of the application's own, from version 1 of its metadata to version 2, without a stop.

Every member of the new release reads both versions (KIP-268). While members of the old one are left it writes version
1, which these read; once they are gone, version 2.
"""

from __future__ import annotations

import time
from contextlib import ExitStack

import pytest

from kafka_nextgen import Consumer, Record, UnsupportedAssignorError
from kafka_nextgen.assignors import (
    AssignmentSpec,
    AssignorMetadata,
    ConsumerGroupMetadata,
    GroupAssignment,
    MemberAssignment,
    Metadata,
    PartitionAssignor,
    UniformAssignor,
)
from kafka_nextgen.testing import Cluster
from tests.endtoend.reading import numbers, poll_until
from tests.engine.stage import SETTINGS
from tests.support.clients import produce
from tests.support.waiting import GUARD_S

MEMBERS, PARTITIONS, RECORDS_PER_STEP = 6, 12, 60


class Old(PartitionAssignor):
    """Release 1: what a member has to say is its name, in version 1."""

    name = "rolling"
    minimum_version, maximum_version = 1, 1

    def __init__(self, name: str) -> None:
        self.member, self.version = name, self.minimum_version
        self.told: list[Metadata | None] = []

    def metadata(self) -> AssignorMetadata:
        return AssignorMetadata(metadata=Metadata(self.version, self.written(self.version, self.member)))

    @staticmethod
    def written(version: int, text: str) -> bytes:
        return text.encode() if version == 1 else text.upper().encode()

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        members = {}
        for member_id, share in UniformAssignor().assign(group).members.items():
            version, payload = group.members[member_id].metadata.version, group.members[member_id].metadata.payload
            assert self.minimum_version <= version <= self.maximum_version, "nobody is shown what it can't read"
            assert payload.decode().islower() == (version == 1)
            answer = Metadata(version, self.written(version, f"hello {payload.decode().lower()}"))
            members[member_id] = MemberAssignment(share.partitions, answer)
        return GroupAssignment(members)

    def on_assignment(self, error: int, assignment: MemberAssignment, group: ConsumerGroupMetadata) -> None:
        self.told.append(assignment.metadata)


class New(Old):
    """Release 2: reads both versions, and writes version 1 until it is told that everybody reads 2."""

    maximum_version = 2


def _answer(version: int, name: str) -> Metadata:
    return Metadata(version, Old.written(version, f"hello {name}"))


class Group:
    """Six members, the records they read, and the records there are."""

    def __init__(self, stack: ExitStack, cluster: Cluster) -> None:
        self.stack, self.servers = stack, cluster.bootstrap_servers
        self.assignors: list[Old] = []
        self.consumers: list[Consumer] = []
        self.came: list[Record] = []
        self.written = 0

    def start(self, assignor: Old) -> Consumer:
        consumer = self.stack.enter_context(
            Consumer(
                bootstrap_servers=self.servers,
                group_id="rolling",
                auto_offset_reset="earliest",
                group_local_assignors=assignor,
                fetch_max_wait_ms=50,
            )
        )
        consumer.subscribe(["orders"])
        return consumer

    def write(self) -> None:
        produce(self.servers, "orders", RECORDS_PER_STEP, partitions=PARTITIONS, first=self.written)
        self.written += RECORDS_PER_STEP

    def settle(self, answers: list[Metadata] | None = None) -> None:
        """Poll until everybody has an equal share, in one epoch, and all that was written has been read.

        With ``answers``, until these are the assignor's last words to the members.
        """
        deadline = time.monotonic() + GUARD_S
        while not self._is_settled() or answers not in (None, [each.told[-1] for each in self.assignors]):
            assert time.monotonic() < deadline, f"{[(len(each.told), each.told[-1:]) for each in self.assignors]}"
            for consumer in self.consumers:
                self.came += consumer.poll(timeout=0.002)

    def _is_settled(self) -> bool:
        epochs = {consumer.group_metadata().member_epoch for consumer in self.consumers}
        equal = all(len(each.assignment()) == PARTITIONS // len(self.consumers) for each in self.consumers)
        return equal and len(epochs) == 1 and len(self.came) >= self.written


@pytest.fixture
def group(stack: ExitStack) -> Group:
    cluster = stack.enter_context(Cluster(config=SETTINGS))
    cluster.create_topic("orders", partitions=PARTITIONS)
    return Group(stack, cluster)


def test_six_members_are_upgraded_one_by_one_without_a_stop(group: Group) -> None:
    group.assignors = [Old(f"m{number}") for number in range(MEMBERS)]
    group.consumers = [group.start(assignor) for assignor in group.assignors]
    group.write()
    group.settle()

    for number in range(MEMBERS):
        group.consumers[number].close()  # commits what it was given
        group.write()
        group.assignors[number] = New(f"m{number}")
        group.consumers[number] = group.start(group.assignors[number])
        group.settle()
        assert {told.version for assignor in group.assignors for told in assignor.told if told is not None} == {1}

    # All of them read version 2 by now, so they may write it, one by one or together.
    for upgraded in (1, 3, MEMBERS):
        for assignor in group.assignors[:upgraded]:
            assignor.version = 2
        group.settle([_answer(2 if number < upgraded else 1, f"m{number}") for number in range(MEMBERS)])
    group.write()
    group.settle()
    assert numbers(group.came) == list(range(group.written)), "nothing was lost, and nothing came twice"


def test_who_writes_what_others_can_not_read_is_refused_and_disturbs_nobody(group: Group) -> None:
    group.assignors = [Old("m0"), Old("m1")]
    group.consumers = [group.start(assignor) for assignor in group.assignors]
    group.settle()
    early = New("early")
    early.version = 2
    refused = pytest.raises(UnsupportedAssignorError, match="reads versions 1 to 2 and wrote version 2")
    with group.start(early) as consumer, refused:
        poll_until([consumer], lambda: False)
    group.write()
    group.settle()
    assert numbers(group.came) == list(range(group.written))
