"""The loop around the admin, with an admin that tells what the test says."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Collection

import pytest
from attrs import define, field

from kafka_nextgen.admin import (
    GroupDescription,
    GroupListing,
    GroupOffset,
    GroupState,
    GroupType,
    ListedGroups,
    Results,
)
from kafka_nextgen.collecting.collector import Collector, GroupFilter, new_source
from kafka_nextgen.errors import AuthenticationError, GroupNotFoundError, KafkaNextgenError, NoBrokersError
from kafka_nextgen.history.events import Event, EventKind, SourceKind, source_kind
from kafka_nextgen.types import TopicPartition
from tests.collecting.describing import consumers, in_words, member, offsets
from tests.collecting.members import Kept

ALL = GroupFilter()


@define
class FakeAdmin:
    groups: dict[str, GroupDescription | KafkaNextgenError] = field(factory=dict)
    failure: KafkaNextgenError | None = None
    offsets_failure: KafkaNextgenError | None = None
    others: tuple[GroupListing, ...] = ()
    described: list[tuple[str, ...]] = field(factory=list)
    hangs: bool = False
    cluster: str = "c1"

    async def cluster_id(self, timeout: float) -> str | None:
        await self._fail()
        return self.cluster

    async def list(self, timeout: float) -> ListedGroups:
        await self._fail()
        listed = [GroupListing(name, GroupType.CONSUMER, GroupState.STABLE, "consumer") for name in self.groups]
        return ListedGroups((*listed, *self.others), {})

    async def describe(self, group_ids: Collection[str], timeout: float) -> Results[str, GroupDescription]:
        await self._fail()
        self.described.append(tuple(group_ids))
        found = {name: self.groups.get(name, GroupNotFoundError("none", code=69)) for name in group_ids}
        done = {name: each for name, each in found.items() if isinstance(each, GroupDescription)}
        return Results(done, {name: each for name, each in found.items() if isinstance(each, KafkaNextgenError)})

    async def offsets(self, group_id: str, timeout: float) -> dict[TopicPartition, GroupOffset]:
        if self.offsets_failure is not None:
            raise self.offsets_failure
        return offsets({0: (1, 2)})

    async def _fail(self) -> None:
        while self.hangs:
            await asyncio.sleep(3600)
        if self.failure is not None:
            raise self.failure


def collector(admin: FakeAdmin, sink: Kept, choice: GroupFilter = ALL) -> Collector:
    return Collector(admin, sink, "poller:here/1", choice, now=lambda: 12.5)  # type: ignore[arg-type]


def told(events: list[Event]) -> set[tuple[str, str]]:
    return {(event.group, words) for event, words in zip(events, in_words(events), strict=True)}


def test_groups_are_told_with_the_cluster_the_time_and_one_count() -> None:
    admin = FakeAdmin({"a": consumers(1, member("m", "t[0]")), "b": consumers(1)})
    sink = Kept()
    asyncio.run(collector(admin, sink).poll())
    assert {(event.cluster, event.at, event.source) for event in sink.events} == {("c1", 12_500, "poller:here/1")}
    assert [event.seq for event in sink.events] == list(range(len(sink.events)))
    assert {event.group for event in sink.events} == {"a", "b"}
    assert {"joined", "lag"} <= {event.kind.value for event in sink.events if event.group == "a"}


CHOICES: dict[str, tuple[GroupFilter, set[str]]] = {
    "all": (GroupFilter(), {"billing", "billing-2", "audit"}),
    "named": (GroupFilter(["audit", "later"]), {"audit", "later"}),
    "by a pattern, matching the whole id": (GroupFilter((), re.compile("billing")), {"billing"}),
    "by both": (GroupFilter(["audit"], re.compile("billing.*")), {"audit", "billing", "billing-2"}),
}


@pytest.mark.parametrize("how", CHOICES)
def test_groups_are_chosen(how: str) -> None:
    choice, expected = CHOICES[how]
    others = (
        GroupListing("shared", GroupType.SHARE, GroupState.STABLE, "share"),
        GroupListing("", GroupType.CLASSIC, GroupState.EMPTY, ""),
        GroupListing("workers", GroupType.CLASSIC, GroupState.STABLE, "connect"),
    )
    admin = FakeAdmin({name: consumers(1) for name in ("billing", "billing-2", "audit")}, others=others)
    asyncio.run(collector(admin, Kept(), choice).poll())
    assert set(admin.described[0]) == expected


def test_a_group_that_comes_is_new_and_one_that_goes_is_looked_at_once_more() -> None:
    admin, sink = FakeAdmin({"a": consumers(1, member("m", "t[0]"))}), Kept()
    collecting = collector(admin, sink)

    async def story() -> None:
        await collecting.poll()
        sink.take()
        admin.groups = {"b": consumers(1, member("n", "t[0]"))}
        await collecting.poll()
        await collecting.poll()

    asyncio.run(story())
    assert {("a", "left m @1 (unknown)"), ("b", "joined n @1")} <= told(sink.take())
    assert admin.described == [("a",), ("a", "b"), ("b",)]


def test_a_cluster_that_is_away_is_told_once_to_each_group_and_looked_at_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    admin, sink = FakeAdmin({"a": consumers(1), "b": consumers(1)}), Kept()
    collecting = collector(admin, sink)

    async def story() -> None:
        await run_once(collecting)
        sink.take()
        admin.failure = NoBrokersError("nobody there")
        for _ in range(3):
            await run_once(collecting)
        assert told(sink.take()) == {("a", "error (NoBrokersError)"), ("b", "error (NoBrokersError)")}
        admin.failure = None
        admin.groups["a"] = consumers(2)
        await run_once(collecting)
        assert told(sink.take()) == {("a", "group epoch @2"), ("a", "target @2")}

    with caplog.at_level(logging.WARNING):
        asyncio.run(story())
    assert [record.getMessage() for record in caplog.records] == [
        "cannot read groups; retrying: nobody there",
        "groups can be read again",
    ]


def test_a_broker_that_is_back_with_nothing_is_another_cluster() -> None:
    admin, sink = FakeAdmin({"a": consumers(3, member("m", "t[0]"))}), Kept()
    collecting = collector(admin, sink)

    async def story() -> None:
        await run_once(collecting)
        admin.failure = NoBrokersError("nobody there")
        await run_once(collecting)
        sink.take()
        admin.failure, admin.cluster = None, "c2"
        admin.groups = {"a": consumers(1, member("n", "t[0]"))}
        await run_once(collecting)

    asyncio.run(story())
    assert {event.cluster for event in sink.events} == {"c2"}
    assert ("a", "joined n @1 (begins in the middle)") in told(sink.events)
    assert not [event for event in sink.events if event.kind is EventKind.LEFT]


async def run_once(collecting: Collector) -> None:
    answers = iter([False, False])
    await collecting.run(0.0, lambda: next(answers, True))


def test_one_look_says_that_the_cluster_is_away() -> None:
    with pytest.raises(NoBrokersError, match="nobody there"):
        asyncio.run(collector(FakeAdmin(failure=NoBrokersError("nobody there")), Kept()).poll())


def test_one_group_that_fails_does_not_hide_the_others() -> None:
    admin = FakeAdmin({"a": NoBrokersError("its coordinator"), "b": consumers(1)})
    sink = Kept()
    asyncio.run(collector(admin, sink).poll())
    assert ("a", "error (NoBrokersError)") in told(sink.events)
    assert ("b", "group epoch @1 (begins in the middle)") in told(sink.events)


def test_offsets_that_fail_are_an_error_of_their_group() -> None:
    admin = FakeAdmin({"a": consumers(1)}, offsets_failure=NoBrokersError("away"))
    sink = Kept()
    asyncio.run(collector(admin, sink).poll())
    assert [event.group for event in sink.events if event.kind is EventKind.ERROR] == ["a"]


def test_a_refused_principal_ends_it() -> None:
    admin = FakeAdmin(failure=AuthenticationError("wrong password"))
    with pytest.raises(AuthenticationError):
        asyncio.run(collector(admin, Kept()).run(1.0, lambda: False))


def test_it_stops_in_the_middle_of_a_look_that_hangs() -> None:
    admin = FakeAdmin(hangs=True)
    answers = iter([False, False, False])
    asyncio.run(collector(admin, Kept()).run(1.0, lambda: next(answers, True)))


def test_it_looks_again_after_the_interval() -> None:
    admin = FakeAdmin({"a": consumers(1)})
    asyncio.run(collector(admin, Kept()).run(0.001, lambda: len(admin.described) == 3))
    assert len(admin.described) == 3


def test_two_runs_have_two_sources() -> None:
    first, second = new_source("here", lambda: 1.0), new_source("here", lambda: 1.5)
    assert first != second
    assert source_kind(first) is SourceKind.POLLER
    assert first.startswith("poller:here/")
