"""consumer.timeout.ms: a loop ends when all is read and nothing comes for so long, and not before all is read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from kafka_nextgen import AsyncConsumer, Consumer, Health, RebalanceCause, Status, TopicPartition
from kafka_nextgen.engine.application.idle import RETRY_S, IdleLimit
from kafka_nextgen.engine.application.polling import ITERATION_TIMEOUT_S
from kafka_nextgen.fetching.progress import PartitionProgress
from kafka_nextgen.membership.classic.states import Status as ClassicStatus
from tests.engine.stage import TOPIC, Stage, read, tp
from tests.support.waiting import eventually

ENDS: dict[str, object] = {"consumer_timeout_ms": 300}

LOOPS: dict[str, Callable[[Consumer], list[int]]] = {
    "for": lambda consumer: [record.offset for record in consumer],
    "batches": lambda consumer: [record.offset for records in consumer.batches() for record in records],
}


@pytest.mark.parametrize("loop", ["for", "batches"])
def test_a_loop_ends_after_all_records_and_another_goes_on(stage: Stage, loop: str) -> None:
    stage.create(partitions=2, records=10)
    with stage.subscribed(**ENDS) as consumer:
        assert sorted(LOOPS[loop](consumer)) == sorted([*range(10), *range(10)])
        assert LOOPS[loop](consumer) == []
        stage.write(0, 3)
        eventually("a fetch has found them", lambda: consumer.lag()[tp(0)] == 3)
        assert LOOPS[loop](consumer) == [10, 11, 12]


def test_next_ends_with_stop_iteration(stage: Stage) -> None:
    stage.create(records=1)
    with stage.subscribed(**ENDS) as consumer:
        assert next(consumer).offset == 0
        assert next(consumer, None) is None


def test_async_loops_end_too(stage: Stage) -> None:
    async def loop(consumer: AsyncConsumer) -> list[int]:
        return [record.offset async for record in consumer]

    async def read_all() -> None:
        async with AsyncConsumer(stage.config(**ENDS)) as consumer:
            await consumer.subscribe([TOPIC])
            assert await loop(consumer) == list(range(10))
            assert [record async for records in consumer.batches() for record in records] == []
        async with AsyncConsumer(stage.config(**ENDS, group_id=None, value_deserializer=int_later)) as consumer:
            await consumer.assign([tp()])
            assert await loop(consumer) == list(range(10))

    stage.create(records=10)
    asyncio.run(read_all())


async def int_later(data: bytes) -> int:
    await asyncio.sleep(0)
    return int(data)


def test_paused_partitions_are_not_waited_for(stage: Stage) -> None:
    stage.create(partitions=2, records=10)
    with stage.reader(0, 1, **ENDS) as consumer:
        consumer.pause([tp(1)])
        assert LOOPS["for"](consumer) == list(range(10))
        consumer.resume([tp(1)])
        assert LOOPS["for"](consumer) == list(range(10))


# ---- when the time counts


class StillCore:
    """What the limit looks at, set by hand."""

    def __init__(self, limit_ms: int | None) -> None:
        self.config = SimpleNamespace(consumer_timeout_ms=limit_ms, fetch_max_wait_ms=500)
        self.time, self.topics, self.health = 100.0, ["orders"], Health(status=Status.STABLE)
        self.partitions: dict[TopicPartition, PartitionProgress] = {}
        self.deleted: frozenset[TopicPartition] = frozenset()
        self.silence_s: dict[TopicPartition, float] = {}
        self.has_records = False
        self.now = lambda: self.time
        self.engine = SimpleNamespace(health=lambda: self.health)
        self.cursor = SimpleNamespace(given_out=lambda: ("the run of the loop",))
        self.fetches = SimpleNamespace(
            has_records=lambda: self.has_records,
            assignment=lambda: frozenset(self.partitions),
            look=lambda read: read(self),
        )

    @property
    def planning(self) -> SimpleNamespace:
        return SimpleNamespace(silence_s=lambda now: self.silence_s)

    def gone(self) -> frozenset[TopicPartition]:
        return self.deleted

    def progress(self, given_out: tuple[str, ...]) -> SimpleNamespace:
        assert given_out == ("the run of the loop",), "its records are read"
        return SimpleNamespace(partitions=self.partitions)

    def read_to(self, position: int | None, end: int | None, *, paused: bool = False) -> None:
        self.partitions[tp()] = PartitionProgress(position, 0, end, 0, paused)


@pytest.fixture
def core() -> StillCore:
    """A member that has read ten records, which are all."""
    core = StillCore(limit_ms=5_000)
    core.read_to(10, 10)
    return core


def ends(limit: IdleLimit, core: StillCore, seconds: float) -> bool:
    """Poll for so long without a record; whether the loop ends, before the last of a second or with it."""
    for _ in range(int(seconds)):
        limit.wait_s()
        core.time += 1
        if limit.is_over():
            return True
    return False


def limit_of(core: StillCore) -> IdleLimit:
    return IdleLimit(core)  # type: ignore[arg-type]


def test_the_time_is_measured_from_the_last_record(core: StillCore) -> None:
    limit = limit_of(core)
    assert not ends(limit, core, 4)
    limit.note_records()
    assert not ends(limit, core, 4)
    assert ends(limit, core, 1)
    assert not ends(limit, core, 4), "another loop waits again"
    assert ends(limit, core, 1)


def test_a_poll_waits_no_longer_than_what_is_left(core: StillCore) -> None:
    limit = limit_of(core)
    assert limit.wait_s() == 5.0
    core.time += 3
    assert not limit.is_over()
    assert limit.wait_s() == 2.0
    assert limit_of(StillCore(None)).wait_s() == limit_of(StillCore(3_600_000)).wait_s() == ITERATION_TIMEOUT_S


def test_it_waits_once_more_after_a_poll_that_raised(core: StillCore) -> None:
    limit = limit_of(core)
    limit.wait_s()
    core.time += 60
    assert limit.wait_s() == 5.0


@pytest.mark.parametrize(
    ("position", "end"), [(None, None), (10, None), (9, 10)], ids=["no position", "no fetch answered", "more to read"]
)
def test_no_loop_ends_before_all_is_read(core: StillCore, position: int | None, end: int | None) -> None:
    limit = limit_of(core)
    core.read_to(position, end)
    assert not ends(limit, core, 60)
    core.read_to(position, end, paused=True)
    assert ends(limit, core, 5), "nothing comes of a paused partition"


def test_no_time_counts_while_records_wait_that_the_next_poll_returns(core: StillCore) -> None:
    limit = limit_of(core)
    core.has_records = True
    limit.wait_s()
    core.time += 60
    assert not limit.is_over()


def test_a_deleted_topic_is_not_waited_for(core: StillCore) -> None:
    core.read_to(10, None)
    core.deleted = frozenset({tp()})
    core.silence_s[tp()] = 60.0
    assert ends(limit_of(core), core, 5)


def test_a_broker_that_has_not_answered_is_waited_for_though_all_was_read(core: StillCore) -> None:
    limit = limit_of(core)
    core.silence_s = {tp(0): 0.1, tp(1): 0.6}
    assert not ends(limit, core, 60)
    assert limit.wait_s() == RETRY_S
    core.silence_s[tp(1)] = 0.5
    assert limit.is_over(), "an answer to a fetch may take so long"


def test_an_answer_from_before_the_time_began_does_not_count() -> None:
    core = StillCore(limit_ms=250)
    core.read_to(10, 10)
    limit = limit_of(core)
    limit.wait_s()
    core.time += 0.25
    core.silence_s[tp()] = 0.3
    assert not limit.is_over()
    core.silence_s[tp()] = 0.2
    assert limit.is_over()


def test_no_loop_ends_while_its_broker_is_down(timed: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []
    is_over = IdleLimit.is_over
    monkeypatch.setattr(IdleLimit, "is_over", lambda limit: asked.append(is_over(limit)) or asked[-1])
    timed.create(records=10)
    with timed.reader(0, consumer_timeout_ms=5_000) as consumer, ThreadPoolExecutor(1) as elsewhere:
        read(consumer, 10)
        eventually("it is at the end", lambda: consumer.lag() == {tp(): 0})
        timed.cluster.stop_node(1)
        loop = elsewhere.submit(LOOPS["for"], consumer)
        while len(asked) < 3 and not loop.done():  # the first time is when the limit is over
            timed.cluster.advance(seconds=5)
        assert not any(asked)
        timed.cluster.start_node(1)
        timed.write(0, 3)
        while not loop.done():
            timed.cluster.advance(seconds=1)
    assert loop.result() == [10, 11, 12]


@pytest.mark.parametrize(
    "health", [Health(status=Status.JOINING), Health(status=Status.STABLE, rebalancing=RebalanceCause.JOINED)]
)
def test_a_member_that_joins_or_rebalances_has_not_read_all(core: StillCore, health: Health) -> None:
    limit = limit_of(core)
    core.partitions.clear()
    core.health = health
    assert not ends(limit, core, 60)
    core.health = Health(status=Status.STABLE)
    assert ends(limit, core, 5), "it has got no partition"
    core.health = Health(status=ClassicStatus.STABLE)
    assert ends(limit, core, 5), "of a classic group, too"
    core.topics, core.health = None, Health(status=Status.UNSUBSCRIBED)  # type: ignore[assignment]
    assert ends(limit, core, 5), "nobody joins by hand"


def test_new_partitions_are_waited_for_however_long_their_callback_took(core: StillCore) -> None:
    limit = limit_of(core)
    limit.wait_s()
    core.time += 60
    core.partitions[tp(1)] = core.partitions[tp()]
    assert not limit.is_over()
    assert ends(limit, core, 5)
