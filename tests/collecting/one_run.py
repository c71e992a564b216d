"""One run of a group: members come and go one after the other, each with its log, and a poller looks at it."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager

from kafka_nextgen import AsyncGroupAdmin, EventLog, LeaveMode
from kafka_nextgen.collecting.collector import Collector, GroupFilter, new_source
from kafka_nextgen.history.analysis import analyze
from kafka_nextgen.history.events import SourceKind, source_kind
from kafka_nextgen.history.facts import Owner
from kafka_nextgen.history.queued_sink import Sink
from tests.collecting.members import Kept, Member
from tests.support.waiting import GUARD_S, eventually

NAMES = ("one", "two", "three")
LOOK_S = 0.05


@contextmanager
def polled(servers: str, group: str, sink: Sink) -> Iterator[None]:
    """Look at the group while the block runs, and once before it."""
    has_begun, is_over = threading.Event(), threading.Event()

    async def look() -> None:
        async with AsyncGroupAdmin(bootstrap_servers=servers) as admin:
            collector = Collector(admin, sink, new_source("test"), GroupFilter([group]))
            await collector.poll()
            has_begun.set()
            await collector.run(LOOK_S, is_over.is_set)

    thread = threading.Thread(target=lambda: asyncio.run(look()))
    thread.start()
    try:
        assert has_begun.wait(GUARD_S)
        yield
    finally:
        is_over.set()
        thread.join()


def members_come_and_go(config: Mapping[str, object], topic: str, partitions: int, told: Kept) -> None:
    """Three join, the last one leaves, then the others; each step when the poller has seen the one before."""
    group = str(config["group_id"])
    with polled(str(config["bootstrap_servers"]), group, told), ExitStack() as stack:
        members: list[Member] = []
        for name in NAMES:
            member = Member({**config, "client_id": name}, topic, EventLog(told), leave=LeaveMode.LEAVE)
            members.append(stack.enter_context(member))
            until_told(told, group, partitions, members)
        while members:
            members.pop().close()
            until_told(told, group, partitions, members)


def _owners(told: Kept, group: str, kind: SourceKind) -> dict[tuple[str, int], str | None]:
    """The member that has each partition, as this kind of source tells."""
    events = [event for event in told.of_group(group) if source_kind(event.source) is kind]
    facts = [fact for fact in analyze(events).facts["owners"] if isinstance(fact, Owner)]
    return {(fact.topic, fact.partition): fact.member for fact in facts}


def until_told(told: Kept, group: str, partitions: int, members: Sequence[Member]) -> None:
    """Wait until the poller and the members tell the same owners: these members, evenly."""

    def is_so() -> bool:
        by_poller, by_members = (_owners(told, group, kind) for kind in (SourceKind.POLLER, SourceKind.CONSUMER))
        counts = Counter(by_members.values())
        each = partitions // len(members) if members else partitions
        owners: list[str | None] = [member.id for member in members] or [None]
        return by_poller == by_members and counts == dict.fromkeys(owners, each)

    eventually("it is told", is_so)
