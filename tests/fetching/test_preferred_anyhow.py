"""Whatever replicas leaders prefer, and however those behave: every partition is read, in order, and nobody is flooded.

The leaders alone are sound: to a client without a rack they give what they have.
"""

from __future__ import annotations

from collections import Counter
from enum import Enum, auto
from typing import TypeVar

from attrs import define, field
from hypothesis import given, settings
from hypothesis import strategies as st

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.fetching import DecodedPartition, Fetch, FetchSettings, FetchState, NeedMetadata
from kafka_nextgen.properties.offset_reset import OffsetReset
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import Columns
from tests.fetching.world import World, bring, cluster, columns, redirect
from tests.support.examples import examples

PARTITIONS = [TopicPartition("orders", number) for number in range(4)]
LEADERS = {tp: 1 + tp.partition // 2 for tp in PARTITIONS}
UNKNOWN_NODE = 3
END = 20
PER_ANSWER = 5
STEP_S = 0.05
STEPS = 400  # twenty seconds
MOST_FETCHES = 60  # of one partition, each with a few answers that bring nothing before one that does

T = TypeVar("T")


class Manner(Enum):
    """How a follower answers a fetch of one partition."""

    SERVES = auto()
    SENDS_BACK = auto()
    BREAKS_RECORDS = auto()
    CAN_NOT_BE_REACHED = auto()
    OFFSET_OUT_OF_RANGE = auto()
    NOT_LEADER_OR_FOLLOWER = auto()
    UNKNOWN_SERVER_ERROR = auto()


@define
class Replicas:
    """What leaders prefer, and how followers behave: by partition, one after the other, the last one for ever."""

    preferred: dict[TopicPartition, list[int]]
    manners: dict[TopicPartition, list[Manner]]
    fetches: Counter[TopicPartition] = field(factory=Counter)

    def answer(self, world: World, fetch: Fetch) -> None:
        results = [self._one(fetch, asked.partition, asked.offset) for asked in fetch.positions]
        if any(result is None for result in results):
            world.state.results.failed(fetch, world.now)
        else:
            world.answer(fetch, *(result for result in results if result is not None))

    def _one(self, fetch: Fetch, tp: TopicPartition, offset: int) -> DecodedPartition | None:
        self.fetches[tp] += offset < END
        left = min(PER_ANSWER, END - offset)
        served = bring(columns(tp, offset, left) if left else Columns(tp, offset))
        if fetch.node_id == LEADERS[tp]:
            to = _next(self.preferred[tp]) if fetch.sends_rack else -1
            return redirect(tp, offset, to) if to >= 0 else served
        manner = _next(self.manners[tp])
        if manner is Manner.SERVES:
            return served
        if manner is Manner.SENDS_BACK:
            return redirect(tp, offset, LEADERS[tp])
        if manner is Manner.BREAKS_RECORDS:
            return DecodedPartition(tp, corrupt=CorruptRecordError("bad", tp, offset))
        return None if manner is Manner.CAN_NOT_BE_REACHED else DecodedPartition(tp, ErrorCode[manner.name])


def _next(row: list[T]) -> T:
    return row.pop(0) if len(row) > 1 else row[0]


def several(one: st.SearchStrategy[T]) -> st.SearchStrategy[dict[TopicPartition, list[T]]]:
    return st.fixed_dictionaries({tp: st.lists(one, min_size=1, max_size=12) for tp in PARTITIONS})


@given(
    preferred=several(st.sampled_from([-1, 1, 2, UNKNOWN_NODE])),
    manners=several(st.sampled_from(Manner)),
)
@settings(max_examples=examples(200))
def test_every_partition_is_read_whatever_is_preferred(
    preferred: dict[TopicPartition, list[int]], manners: dict[TopicPartition, list[Manner]]
) -> None:
    world = World(FetchState(FetchSettings(OffsetReset.NONE)), cluster(LEADERS))
    world.start(*PARTITIONS)
    replicas, read = Replicas(preferred, manners), []
    for _ in range(STEPS):
        for need in world.plan():
            if isinstance(need, NeedMetadata):
                world.state.results.metadata_refreshed(need, world.now)
            else:
                assert isinstance(need, Fetch), "no position is reset"
                replicas.answer(world, need)
        read += world.take()
        if len(read) == len(PARTITIONS) * END:
            break
        world.now += STEP_S
    for tp in PARTITIONS:
        assert [offset for number, offset in read if number == tp.partition] == list(range(END))
        assert replicas.fetches[tp] < MOST_FETCHES
