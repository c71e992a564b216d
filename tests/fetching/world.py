"""A driver of a FetchState: a log per partition, one or two nodes, and a clock that is set by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar
from uuid import UUID

from attrs import define, field

from kafka_nextgen.fetching import (
    Arrival,
    DecodedPartition,
    Fetch,
    FetchState,
    Need,
    NeedCommittedOffset,
    NeedEpochEnds,
    NeedMetadata,
    NeedOffsetReset,
    NodeFetches,
    SessionAnswer,
)
from kafka_nextgen.requests.cluster_image import Broker, ClusterImage, PartitionInfo, TopicInfo
from kafka_nextgen.requests.list_offsets import ListedOffset
from kafka_nextgen.requests.offset_for_leader_epoch import EpochEnd
from kafka_nextgen.types import OffsetAndMetadata, TopicId, TopicPartition
from kafka_nextgen.wire.records import Columns, NewRecord, RecordLimits, decode_partition, encode_batch

TOPIC_ID = UUID(int=1)
NOTHING: Mapping[TopicPartition, Arrival] = MappingProxyType({})

N = TypeVar("N", bound=Need)


def cluster(
    leaders: Mapping[TopicPartition, int],
    topic_id: TopicId = TOPIC_ID,
    *,
    epoch: int = 5,
    offline: tuple[int, ...] = (),
) -> ClusterImage:
    """A cluster in which these nodes lead these partitions of ``orders``; all others have replicas of them."""
    nodes = tuple(sorted(set(leaders.values())))
    partitions = {tp.partition: PartitionInfo(leader, epoch, nodes, offline) for tp, leader in leaders.items()}
    return ClusterImage(
        brokers={node: Broker(node, "localhost", 9092 + node) for node in nodes},
        topics_by_name={"orders": TopicInfo("orders", topic_id, partitions=partitions)},
    )


def columns(partition: TopicPartition, first: int, count: int, epoch: int = 5, **batch: int) -> Columns:
    data = encode_batch([NewRecord(b"v")] * count, base_offset=first, leader_epoch=epoch, **batch)  # type: ignore[arg-type]
    return decode_partition(data, partition, first, RecordLimits())


@define
class World:
    """A FetchState and what its driver would know."""

    state: FetchState
    image: ClusterImage
    now: float = 100.0
    needs: list[Need] = field(factory=list)
    topic_ids: Mapping[str, TopicId] = field(factory=dict)  # for a coordinator that assigns by id
    received: list[Fetch] = field(factory=list)

    def assign(self, *partitions: TopicPartition) -> None:
        """Assign and release in one go."""
        new = set(partitions) - self.state.assignment()
        self.state.assign(partitions, new, self.topic_ids)
        self.state.release(new)

    def plan(self) -> list[Need]:
        return list(self.state.planning.plan(self.image, self.now).needs)

    def only(self, kind: type[N]) -> N:
        """Plan, and expect exactly one need, of this kind."""
        (need,) = self.plan()
        assert isinstance(need, kind)
        return need

    def start(self, *partitions: TopicPartition, at: int = 0) -> None:
        """Assign partitions that all have this offset committed."""
        self.assign(*partitions)
        self.find_committed({tp: OffsetAndMetadata(at) for tp in partitions})

    def fetch(self) -> Fetch:
        return self.only(Fetch)

    def read(self, partition: TopicPartition, *runs: int, take: int | None = None) -> None:
        """Begin at 0, fetch runs of so many records, and hand over all of them or the first."""
        self.start(partition)
        first = 0
        for count in runs:
            self.answer(self.fetch(), columns(partition, first, count))
            first += count
        self.take(first if take is None else take)

    def refresh(self) -> None:
        """Look the cluster up as wanted; it is as it is."""
        self.state.results.metadata_refreshed(self.only(NeedMetadata), self.now)

    def find_committed(self, offsets: Mapping[TopicPartition, OffsetAndMetadata | None]) -> None:
        self.state.results.committed_found(self.only(NeedCommittedOffset), offsets, self.now)

    def validate(self, *ends: tuple[int, int]) -> None:
        """Answer the question where epochs end, in order; without an answer of one's own, that nothing is lost."""
        need = self.only(NeedEpochEnds)
        whole = [(question.epoch, question.offset) for question in need.questions.values()]
        found = dict(zip(need.questions, (EpochEnd(*end) for end in ends or whole), strict=True))
        self.state.results.epoch_ends_found(need, found, self.now)

    def answer(self, fetch: Fetch, *results: DecodedPartition | Columns) -> None:
        """Answer without a session, unless ``receive`` was called before; not one partition need be told of."""
        decoded = [result if isinstance(result, DecodedPartition) else bring(result) for result in results]
        if not any(fetch is other for other in self.received):
            self.receive(fetch, SessionAnswer(0, 0, [result.partition for result in decoded]))
        self.state.results.fetched(fetch, decoded, self.now)

    def receive(
        self, fetch: Fetch, head: SessionAnswer | None = None, arrivals: Mapping[TopicPartition, Arrival] = NOTHING
    ) -> bool:
        """Have an answer come, with these records to be decoded."""
        self.received.append(fetch)
        return self.state.results.received(fetch, head or SessionAnswer(0, 0, tuple(arrivals)), arrivals, self.now)

    def take(self, max_records: int = 1000) -> list[tuple[int, int]]:
        """Take records, as pairs of partition and offset."""
        parts = self.state.handover.take(max_records)
        return [(p.partition.partition, o) for p in parts for o in p.columns.offsets[p.start : p.stop]]


def bring(result: Columns) -> DecodedPartition:
    return DecodedPartition(result.partition, columns=result, high_watermark=result.next_offset)


def redirect(partition: TopicPartition, offset: int, to: int) -> DecodedPartition:
    """What a leader says that prefers another replica: its node, and nothing else."""
    return DecodedPartition(partition, columns=Columns(partition, offset), high_watermark=offset, preferred_replica=to)


def asked(needs: Iterable[Need]) -> list[tuple[int, int, int]]:
    """Which node is asked for which partition at which offset."""
    return [
        (need.node_id, position.partition.partition, position.offset)
        for need in needs
        if isinstance(need, Fetch)
        for position in need.positions
    ]


def listed(need: NeedOffsetReset, offset: int) -> dict[TopicPartition, ListedOffset]:
    return {tp: ListedOffset(offset) for tp in need.questions}


class PlainStep:
    """In place of the compiled step: ``upcoming`` is what the next answer has; None if that is not plain."""

    def __init__(self, fetch: Fetch) -> None:
        self.answers = 0
        self.upcoming: list[DecodedPartition] | None = []
        self._places = {tp: (at.offset, at.last_epoch) for tp, at in fetch.wanted.items()}

    def answer(self, frame: memoryview, correlation_id: int) -> tuple[bytes, list[DecodedPartition]] | None:
        results = self.upcoming
        if results is None or any(result.diverging or not result.columns for result in results):
            return None
        self.answers += 1
        for result in results:
            assert result.columns is not None
            _, epoch = self._places[result.partition]
            self._places[result.partition] = result.columns.next_offset, max(epoch, result.columns.end_epoch)
        return b"request", results

    def places(self) -> dict[TopicPartition, tuple[int, int]]:
        return self._places


def steady(state: FetchState, fetch: Fetch, image: ClusterImage) -> NodeFetches | None:
    """Follow the answers to a fetch, if the state is steady."""
    return state.steady.begin(fetch, image, lambda: PlainStep(fetch))  # type: ignore[arg-type, return-value]


def take_steady(
    state: FetchState,
    fetches: NodeFetches,
    results: Sequence[DecodedPartition | Columns] | None,
    now: float,
    image: ClusterImage | None = None,
) -> bool:
    """Take in an answer with these results, None for one that is not plain; whether it was followed."""
    decoded = results and [bring(result) if isinstance(result, Columns) else result for result in results]
    fetches.step.upcoming = None if decoded is None else list(decoded)  # type: ignore[attr-defined]
    whole: list[DecodedPartition] = fetches.step.upcoming or []  # type: ignore[attr-defined]
    size = sum([result.columns.nbytes // 6 for result in whole if result.columns is not None])
    return state.steady.take(fetches, image or fetches.state.image, memoryview(bytes(size)), 0, now) is not None
