"""The weighted assignor: balances the weight of partitions over the capacities of members.

A coordinator only counts partitions. It does not know that one machine is twice as large, or that one partition is a
million records behind. Members know this, and send it in their metadata (``weighted_metadata``). So this assignor is
useful on the client only (KIP-848, "Client Side Mode"); on a coordinator, where members send nothing, it balances
counts.

*Load.* A member's load is the weight of its partitions divided by its capacity. The weight of a partition is what its
current member reports, otherwise the highest that any member reports, otherwise 1.

*Balancing* (``weighted_balancing``): as balanced as moving one partition at a time can make it, and sticky otherwise.

*Reporting.* New metadata triggers a new assignment, so ordinary changes of lag must not change it:

* lag becomes a weight in powers of two: 1 below ``lag_unit`` records, 2 from ``lag_unit`` records, 4 from three times
  ``lag_unit``, 8 from seven times, and so on;
* a weight is reported again only when it is off by a factor of four or more;
* a partition keeps its weight when it moves: the assignment carries the weight to the new owner, which reports it from
  then on. The old owner forgets it one assignment later, so that some member always knows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kafka_nextgen.assignors.spec import (
    AssignmentSpec,
    AssignorMetadata,
    GroupAssignment,
    MemberAssignment,
    Metadata,
    PartitionAssignor,
    Share,
)
from kafka_nextgen.assignors.weighted_balancing import share_by_weight
from kafka_nextgen.assignors.weighted_metadata import (
    HIGHEST_CAPACITY,
    HIGHEST_WEIGHT,
    VERSION,
    Report,
    decode_report,
    encode_report,
)
from kafka_nextgen.errors import MisuseError
from kafka_nextgen.group_metadata import ConsumerGroupMetadata
from kafka_nextgen.types import TopicPartition

__all__ = ["WeightedAssignor", "weight_of_lag"]

Weights = Mapping[TopicPartition, int]

_NEWS = 4


class WeightedAssignor(PartitionAssignor):
    """Assigns partitions by their weights and the members' capacities, both of which the members report.

        assignor = WeightedAssignor(capacity=4)
        consumer = Consumer(..., group_local_assignors=[assignor])
        while True:
            process(consumer.poll(1.0))
            assignor.report(lag=consumer.lag())

    Args:
        capacity: the share of the work that this member can do compared to others, 1 to 100; with 1 everywhere, members
            are equal.
        lag_unit: the lag in records from which a partition counts as twice the work.

    Raises:
        MisuseError: a value is out of its range.
    """

    name = "weighted"
    minimum_version = -1
    maximum_version = VERSION

    def __init__(self, capacity: int = 1, lag_unit: int = 1000) -> None:
        if lag_unit < 1:
            raise MisuseError(f"lag_unit has to be at least 1 record, not {lag_unit}")
        self._lag_unit = lag_unit
        self._capacity = _checked("capacity", capacity, HIGHEST_CAPACITY)
        # Each is replaced as a whole, because the application's thread writes them while another thread reads the
        # metadata.
        self._measured: Weights = {}
        self._told: tuple[Weights, Weights] = ({}, {})

    def report(
        self,
        *,
        capacity: int | None = None,
        lag: Mapping[TopicPartition, int | None] | None = None,
        weights: Weights | None = None,
    ) -> None:
        """Report changes; the next heartbeat sends them if the metadata has changed.

        Args:
            capacity: the share of the work that this member can do now, 1 to 100.
            lag: the lag of each of its partitions in records, None if unknown, as in ``Consumer.lag()``.
            weights: the weights of its partitions, at least 1; they are used as given, and replace ``lag``.

        Raises:
            MisuseError: a value is out of its range.
        """
        if capacity is not None:
            self._capacity = _checked("capacity", capacity, HIGHEST_CAPACITY)
        if weights is not None:
            self._measured = {tp: _checked(f"weight of {tp}", each, HIGHEST_WEIGHT) for tp, each in weights.items()}
        elif lag is not None:
            self._measured = self._measure({tp: behind for tp, behind in lag.items() if behind is not None})

    def metadata(self) -> AssignorMetadata:
        """This member's capacity and known weights."""
        return AssignorMetadata(metadata=encode_report(Report(self._capacity, self._said())))

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        """Assign the partitions by weight and capacity; send each member the weights of its partitions.

        Raises:
            PartitionAssignorError: a member's report can't be decoded.
        """
        reports = _reports(group)
        weights = _weights(group, reports)
        capacities = {member_id: report.capacity for member_id, report in reports.items()}
        shares = share_by_weight(group, capacities, weights)
        return GroupAssignment(
            {
                member_id: MemberAssignment(share, _told_to(group, member_id, reports[member_id], share, weights))
                for member_id, share in shares.items()
            }
        )

    def loads(self, group: AssignmentSpec, shares: Mapping[str, Share]) -> Mapping[str, float]:
        """The weight of each share over its member's capacity.

        Raises:
            PartitionAssignorError: a member's report can't be decoded.
        """
        reports = _reports(group)
        weights = _weights(group, reports)
        return {
            member_id: sum(weights.get(partition, 1) for partition in _partitions(group, share))
            / reports[member_id].capacity
            for member_id, share in shares.items()
            if member_id in reports
        }

    def on_assignment(self, error: int, assignment: MemberAssignment, group: ConsumerGroupMetadata) -> None:
        """Receive the weights of this member's partitions."""
        if assignment.metadata is not None:
            told = decode_report(assignment.metadata, f"the assignor's metadata for member {group.member_id}").weights
            self._told = (self._told[1], told)

    def _measure(self, lag: Mapping[TopicPartition, int]) -> Weights:
        said = self._said()
        return {tp: _steady(weight_of_lag(lag[tp], self._lag_unit), said.get(tp, 1)) for tp in lag}

    def _said(self) -> Weights:
        """The measured weights, otherwise the received ones. A weight of 1 is left out unless a received one was
        higher."""
        before, now = self._told
        said = {**before, **now, **self._measured}
        return {tp: each for tp, each in said.items() if max(each, before.get(tp, 1), now.get(tp, 1)) > 1}


def weight_of_lag(lag: int, lag_unit: int) -> int:
    """The highest power of two that is at most 1 plus the lag in units."""
    return int(min(1 << (1 + max(0, lag) // lag_unit).bit_length() - 1, HIGHEST_WEIGHT))


def _steady(weight: int, said: int) -> int:
    """The reported weight, unless it is off by a factor of ``_NEWS``."""
    return weight if weight >= said * _NEWS or said >= weight * _NEWS else said


def _reports(group: AssignmentSpec) -> dict[str, Report]:
    return {
        member_id: decode_report(member.metadata, f"the metadata of member {member_id}")
        for member_id, member in group.members.items()
    }


def _partitions(group: AssignmentSpec, share: Share) -> Iterator[TopicPartition]:
    for topic_id, numbers in share.items():
        if topic_id in group.topics:
            yield from (TopicPartition(group.topics[topic_id].name, number) for number in numbers)


def _weights(group: AssignmentSpec, reports: Mapping[str, Report]) -> Weights:
    """The weight that a partition's member reports, otherwise the highest reported weight."""
    ids = {topic.name: topic_id for topic_id, topic in group.topics.items()}
    highest: dict[TopicPartition, int] = {}
    own: dict[TopicPartition, int] = {}
    for member_id, report in reports.items():
        target = group.members[member_id].target
        for partition, weight in report.weights.items():
            highest[partition] = max(weight, highest.get(partition, 1))
            if partition.topic in ids and partition.partition in target.get(ids[partition.topic], ()):
                own[partition] = weight
    return {**highest, **own}


def _told_to(group: AssignmentSpec, member_id: str, report: Report, share: Share, weights: Weights) -> Metadata | None:
    """The weights of a share; None if no weights are known, or for a member with a different metadata version."""
    if not weights or group.members[member_id].metadata.version != VERSION:
        return None
    known = {partition: weights[partition] for partition in _partitions(group, share) if partition in weights}
    return encode_report(Report(weights=known)) if known or report.weights else None


def _checked(what: str, value: int, highest: int) -> int:
    if type(value) is not int or not 1 <= value <= highest:
        raise MisuseError(f"{what} has to be a whole number from 1 to {highest}, not {value!r}")
    return value
