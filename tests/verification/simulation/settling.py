"""What becomes of a group after its faults.

Within a bound of virtual time every partition has its reader, no epoch moves any more, no heartbeat of a member that
has something is full, and nothing leaks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kafka_nextgen.testing.coordinator.coordinator import Coordinator
from kafka_nextgen.testing.coordinator.extensions.state import STANDBYS
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.types import TopicIdPartition, TopicPartition
from tests.verification.invariants.standbys import active_violations
from tests.verification.simulation.checking.classic_members import counted_members, group_epoch
from tests.verification.simulation.checking.hot_standbys import settled
from tests.verification.simulation.checking.leaving import left_over
from tests.verification.simulation.cluster import GROUP
from tests.verification.simulation.nodes import Standing

if TYPE_CHECKING:
    from tests.verification.simulation.applications import Application
    from tests.verification.simulation.running import Simulation

#: A healed group settles within this time (seconds), but not before what was on its way has arrived or is given up.
_AFTERMATH_S, _SETTLES_S = 45.0, 400.0
#: Then it stays as it is for this long. Who has not polled for this long may yet do something else.
_STAYS_S, _POLLS_S = 20.0, 10.0
_LOOKS_S = 15.0
_MOST_EVENTS_TO_SETTLE = 40_000


def settle(run: Simulation) -> None:
    """Let time pass until the group has settled, and say what is wrong with it in the end."""
    last = run.timeline.happened + _MOST_EVENTS_TO_SETTLE
    at, deadline = run.timeline.now + _AFTERMATH_S, run.timeline.now + _SETTLES_S
    _run_until(run, at, last)
    unsettled: list[str] = ["it was not looked at"]
    while unsettled and at < deadline and not run.judge.broken:
        unsettled = _unsettled(run)
        before = _movements(run)
        at += _LOOKS_S if unsettled else _STAYS_S
        _run_until(run, at, last)
        after = _movements(run)
        unsettled += [f"{what} after all healed" for what in before if before[what] != after.get(what)]
    _look_at_the_end(run, unsettled)


def _look_at_the_end(run: Simulation, unsettled: list[str]) -> None:
    judge, leading = run.judge, run.cluster.leading
    if judge.broken or leading is None or leading.coordinator is None:
        judge.broken = judge.broken or unsettled
        return
    if unsettled and not judge.excuses.awaits_target(_group(leading.coordinator)):
        judge.broken.extend(unsettled)
    judge.check_log(leading)
    judge.check_promises(leading)


def _run_until(run: Simulation, time: float, last: int) -> None:
    while not run.judge.broken:
        following = run.timeline.next_time()
        if following is None or following > time:
            return
        if run.timeline.happened >= last:
            run.judge.broken.append("far too much happens after all healed")
            return
        run.step()


def _movements(run: Simulation) -> dict[str, int]:
    leading = run.cluster.leading
    if leading is None or leading.coordinator is None:
        return {}
    return {
        "the group epoch still moves": group_epoch(_group(leading.coordinator)),
        "heartbeats are still full": run.judge.full_heartbeats,
    }


def _group(coordinator: Coordinator) -> Group:
    return coordinator.groups.get(GROUP) or Group(GROUP, coordinator.settings.behaviour.first_epoch)


def _unsettled(run: Simulation) -> list[str]:
    """What is not as it should be where nothing is disturbed any more."""
    leading = run.cluster.leading
    if leading is None or leading.standing is not Standing.ACTIVE or leading.coordinator is None:
        return ["no coordinator is there after all healed"]
    group = _group(leading.coordinator)
    kept_out = run.judge.refusals.by_policy(group, run.casting.policy)
    present = [each for each in run.applications if each.instance not in kept_out or each.client.member_epoch > 0]
    well = [each for each in present if not each.is_stuck and each.client.is_awake]
    members = [each for each in well if each.client.member_epoch > 0]  # or else the group is full
    return [
        *(idle for application in well for idle in _idle(run, application)),
        *_unread(run, group, [each for each in members if each.client.member_id not in STANDBYS.of(group)]),
        *active_violations(group, leading.coordinator.settings.group_target_size),
        *left_over(group),
        *settled(group, [each.client for each in members]),
        *_uncounted(group, len(well), leading.coordinator.settings.group_consumer_max_size),
    ]


def _idle(run: Simulation, application: Application) -> Iterator[str]:
    if application.polled_at < run.timeline.now - _POLLS_S:
        yield f"{application.client.name} has not polled again"
    if application.wanted is None:
        yield f"{application.client.name} has not subscribed again"


def _unread(run: Simulation, group: Group, members: list[Application]) -> Iterator[str]:
    """Partitions that somebody wants to read, and that have no reader, or several."""
    read: Counter[TopicIdPartition] = Counter()
    wanted: set[str] = set()
    for client, subscribed in ((each.client, each.wanted) for each in members if each.wanted is not None):
        wanted |= set(run.cluster.topics) if subscribed.pattern else subscribed.topics
        read.update(TopicIdPartition(client.topic_ids[tp.topic], tp.partition) for tp in client.flowing)
    for name in sorted(wanted & set(run.cluster.topics)):
        image = run.cluster.topics[name]
        for number in range(image.num_partitions):
            readers = read[TopicIdPartition(image.topic_id, number)]
            partition = TopicPartition(name, number)
            left_out = not readers and run.judge.excuses.is_left_out(group, partition, image.topic_id)
            if readers != 1 and not left_out:
                yield f"{name}[{number}] has {readers} readers after all healed"


def _uncounted(group: Group, present: int, seats: int) -> Iterator[str]:
    """A classic group counts the members that wait for the join phase to end, and keeps static ones that do not join in
    time (KIP-345): so it may come to have so many members more than it has seats for.
    """
    members = counted_members(group)
    kept = 0 if group.classic is None else sum(each.instance_id is not None for each in group.classic.in_order())
    if not min(present, seats) <= len(members) <= min(present, seats + kept):
        yield f"{len(members)} members are counted, and {present} are there"
