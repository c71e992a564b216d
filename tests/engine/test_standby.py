"""What an application hears of standing by: once for each set of partitions, and nothing once the member is active."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from kafka_nextgen import AsyncRebalanceListener, RebalanceConsumer, RebalanceListener
from kafka_nextgen.engine.application.rebalance_listener import loads_as_standby
from kafka_nextgen.engine.application.wakeup import ThreadWakeup
from kafka_nextgen.engine.mailbox import CallbackKind, Mailbox, StandbyCallback
from kafka_nextgen.engine.member import standby as module
from kafka_nextgen.engine.member.standby import Standby
from kafka_nextgen.transport.io_thread import TaskSet
from kafka_nextgen.types import StandbyState, TopicId, TopicIdPartition, TopicPartition
from kafka_nextgen.wire.apis import CONSUMER_GROUP_HEARTBEAT
from tests.engine.stage import Stage, poll_until

FOO, BAR = TopicId(int=1), TopicId(int=2)
FOO_0, FOO_1, BAR_0 = TopicIdPartition(FOO, 0), TopicIdPartition(FOO, 1), TopicIdPartition(BAR, 0)


@pytest.fixture(autouse=True)
def _looks_up_names_in_each_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LOOKUP_INTERVAL_S", 0)


class Scene:
    """A member that stands by, on a cluster whose topics the test names."""

    def __init__(self, has_listener: bool) -> None:
        self.names: dict[TopicId, str] = {FOO: "foo"}
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.mailbox = Mailbox(ThreadWakeup())
        self.failures: list[BaseException] = []
        self.said: list[StandbyState] = []
        self.standby = Standby(
            "g", self.mailbox, TaskSet(self.failures.append), self._names_of, lambda: has_listener, self.said.append
        )

    async def _names_of(self, topic_ids: frozenset[TopicId]) -> Mapping[TopicId, str]:
        await self.may_answer.wait()
        return {topic_id: self.names[topic_id] for topic_id in topic_ids if topic_id in self.names}

    async def note(self, place: int, *partitions: TopicIdPartition) -> None:
        self.standby.note(place, frozenset(partitions) or None)
        await self.settle()

    async def settle(self) -> None:
        for _ in range(10):
            await asyncio.sleep(0)

    def waiting(self) -> list[tuple[str, ...]]:
        """The calls that have not begun yet, in order."""
        waiting = list(self.mailbox._callbacks)
        assert all(callback.kind is CallbackKind.STANDBY for callback in waiting)
        return [tuple(map(str, callback.partitions)) for callback in waiting]

    def begin_all(self) -> list[tuple[str, ...]]:
        begun = self.waiting()
        self.mailbox._callbacks.clear()
        return begun


@asynccontextmanager
async def playing(has_listener: bool = True) -> AsyncIterator[Scene]:
    scene = Scene(has_listener)
    yield scene
    scene.standby.end()
    assert scene.failures == []


async def test_the_application_is_told_once_of_the_same_partitions(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO"):
        async with playing() as scene:
            await scene.note(2, FOO_0, FOO_1)
            await scene.note(1)
            await scene.note(1, FOO_0, FOO_1)
            assert (scene.standby.place, scene.begin_all()) == (1, [("foo[0]", "foo[1]")])
            await scene.note(1, FOO_0)
            assert scene.begin_all() == [("foo[0]",)]
    assert caplog.messages == ["group g: this member is a standby, in position 2"]


async def test_a_call_that_has_not_begun_is_replaced() -> None:
    async with playing() as scene:
        await scene.note(1, FOO_0)
        await scene.note(1, FOO_1)
        assert scene.waiting() == [("foo[1]",)]


@pytest.mark.parametrize("place", [0, -1])
async def test_an_active_member_hears_nothing_and_a_standby_that_was_active_hears_again(place: int) -> None:
    async with playing() as scene:
        await scene.note(1, FOO_0)
        await scene.note(place)
        assert (scene.standby.place, scene.standby.may_get, scene.waiting()) == (0, (), [])
        await scene.note(1, FOO_0)
        assert scene.begin_all() == [("foo[0]",)]


@pytest.mark.parametrize("has_begun", [True, False])
async def test_partitions_of_a_topic_without_a_name_are_told_later(has_begun: bool) -> None:
    async with playing() as scene:
        await scene.note(1, FOO_0, BAR_0)
        assert scene.waiting() == [("foo[0]",)], "there is no other name yet"
        if has_begun:
            scene.begin_all()
        scene.names[BAR] = "bar"
        await scene.settle()
        assert scene.begin_all() == [("bar[0]", "foo[0]")], "a call that has not begun is replaced"


async def test_a_lookup_of_names_ends_with_the_need_for_it() -> None:
    async with playing() as scene:
        scene.may_answer.clear()
        await scene.note(1, FOO_0)
        await scene.note(1, FOO_1)
        await scene.note(0)
        scene.may_answer.set()
        await scene.settle()
        assert (scene.standby.may_get, scene.waiting()) == ((), [])


async def test_without_a_listener_the_partitions_are_known_all_the_same() -> None:
    async with playing(has_listener=False) as scene:
        await scene.note(1, FOO_0)
        assert (scene.standby.may_get, scene.waiting()) == ((TopicPartition("foo", 0),), [])


LOADING, READY = StandbyState.LOADING, StandbyState.READY


async def loading(scene: Scene) -> StandbyCallback:
    """Let the application begin to load: the call that has begun."""
    scene.standby.note_listener(loads=True)
    await scene.note(1, FOO_0)
    [begun] = list(scene.mailbox.callbacks)
    scene.begin_all()
    assert isinstance(begun, StandbyCallback)
    assert set(scene.said) == {LOADING}
    scene.said.clear()
    return begun


async def test_a_standby_is_loading_until_its_call_has_returned() -> None:
    async with playing() as scene:
        callback = await loading(scene)
        await scene.note(1)
        assert scene.said == []
        scene.standby.finished(callback, None)
        assert scene.said == [READY]


async def test_a_standby_whose_call_raised_is_not_ready_until_the_application_says_so() -> None:
    async with playing() as scene:
        scene.standby.finished(await loading(scene), ValueError("out of space"))
        assert scene.said == []
        scene.standby.ready(None)
        assert scene.said == [READY]


async def test_a_call_that_others_have_replaced_makes_nobody_ready() -> None:
    async with playing() as scene:
        former = await loading(scene)
        await scene.note(1, FOO_1)
        assert set(scene.said) == {LOADING}
        scene.said.clear()
        scene.standby.finished(former, None)
        scene.standby.ready(None)
        assert scene.said == [], "the other call has not begun"
        scene.begin_all()
        scene.standby.ready([TopicPartition("foo", 0)])
        assert scene.said == [], "these are the partitions of the former call"
        scene.standby.ready([TopicPartition("foo", 1)])
        assert scene.said == [READY]


async def test_a_standby_that_loads_in_the_background_is_ready_when_the_application_says_so() -> None:
    async with playing() as scene:
        callback = await loading(scene)
        callback.say_loading()
        scene.standby.finished(callback, None)
        assert scene.said == []
        scene.standby.ready(None)
        assert scene.said == [READY]
        scene.standby.end()
        scene.standby.ready(None)
        assert scene.said == [READY], "it is active by now"


async def test_an_application_without_on_standby_has_nothing_to_load() -> None:
    async with playing() as scene:
        await scene.note(1, FOO_0)
        assert set(scene.said) == {READY}


class _Wrapper:
    """A listener that hands each call over to another, as those of tracing libraries do."""

    def __init__(self, listener: object) -> None:
        self._listener = listener

    def __getattr__(self, name: str) -> object:
        return getattr(self._listener, name)


class _Loads(RebalanceListener):
    def on_standby(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        pass


def test_any_method_that_would_be_called_counts_as_on_standby() -> None:
    wrapped: Any = _Wrapper(_Loads())
    patched: Any = RebalanceListener()
    patched.on_standby = print
    loading: list[Any] = [_Loads(), wrapped, patched]
    plain: list[Any] = [None, RebalanceListener(), AsyncRebalanceListener(), _Wrapper(RebalanceListener()), object()]
    assert [loads_as_standby(each) for each in loading] == [True] * len(loading)
    assert [loads_as_standby(each) for each in plain] == [False] * len(plain)


def test_a_member_that_left_stands_by_no_more_even_if_the_answer_says_so(stage: Stage) -> None:
    stage.create()
    stage.change(
        CONSUMER_GROUP_HEARTBEAT,
        lambda answer: answer.replaced(member_epoch=max(1, answer.member_epoch), standby_place=1),
    )
    with stage.subscribed() as consumer:
        poll_until(consumer, lambda: consumer.health().standby_place == 1)
        consumer.unsubscribe()
        assert consumer.health().standby_place == 0
