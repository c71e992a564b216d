"""Small groups are searched to the end, and the search finds what is wrong with machines that have a planted bug."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest
from click.testing import CliRunner

from kafka_nextgen.membership import heartbeats
from kafka_nextgen.membership.state import MemberState
from kafka_nextgen.membership.states import Status
from kafka_nextgen.testing.coordinator import reconciliation
from tests.verification.scenario_language.world import GROUP
from tests.verification.simulation.exploring import pairs
from tests.verification.simulation.exploring.__main__ import main
from tests.verification.simulation.exploring.coordinators import Coordinators
from tests.verification.simulation.exploring.groups import Groups
from tests.verification.simulation.exploring.moves import Bounds, Fault
from tests.verification.simulation.exploring.numbers import Numbers
from tests.verification.simulation.exploring.pairs import Pairs
from tests.verification.simulation.exploring.searching import Explorer, Finding, Result
from tests.verification.simulation.exploring.telling import Told, tell

LATE_AND_TOPICS = frozenset({Fault.REPEATED, Fault.TOPICS})
LINK_FAULTS = frozenset({Fault.REQUEST_LOST, Fault.ANSWER_LOST, Fault.REPEATED})


def explored(bounds: Bounds) -> Result:
    return Explorer(bounds).run()


@pytest.mark.parametrize(
    ("bounds", "states"),
    [
        (Bounds(members=2, partitions=2, faults=0, auto_commit=True), 2_964),
        (Bounds(members=3, partitions=2, faults=0), 135_560),
        (Bounds(members=2, partitions=1, faults=1), 186_687),
        (Bounds(members=2, partitions=2, faults=1), 385_661),
        (Bounds(members=2, partitions=1, faults=2, kinds=LATE_AND_TOPICS), 799_467),
    ],
    ids=["2-2-0-committing", "3-2-0", "2-1-1", "2-2-1", "2-1-2-late-and-topics"],
)
def test_nothing_is_wrong_with_small_groups(bounds: Bounds, states: int) -> None:
    result = explored(bounds)
    assert result.finding is None
    assert result.is_complete
    assert result.states == states
    assert result.settled > 0
    assert set(result.faults) == (bounds.kinds if bounds.faults else set())


def test_keepalives_that_change_nothing_hide_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """With them the coordinator goes through the same states, but for what its clients do."""
    few = Explorer(Bounds(members=2, partitions=1, faults=1, kinds=LINK_FAULTS))
    few.run()
    monkeypatch.setattr(Pairs, "_is_trivial", lambda *_: False)
    all_of_them = Explorer(Bounds(members=2, partitions=1, faults=1, kinds=LINK_FAULTS))
    all_of_them.run()
    assert few.visited.count < all_of_them.visited.count
    assert few.coordinators._numbers.keys() == all_of_them.coordinators._numbers.keys()
    assert {life.key() for life in few.crowd.lives} <= {life.key() for life in all_of_them.crowd.lives}


def test_many_groups_at_once_come_to_the_same_as_one_by_one() -> None:
    kinds = frozenset({Fault.REPEATED})
    explorer = Explorer(Bounds(members=2, partitions=1, faults=1, kinds=kinds))
    explorer.run()
    waiting = list(_taken(explorer, explorer.visited.levels[0]))
    seen = set(waiting)
    for group in waiting:  # which grows meanwhile
        after = set(_onward(explorer.groups, *group)) - seen
        seen |= after
        waiting += after
    assert len(seen) == explorer.visited.count
    assert seen == set(_taken(explorer, np.concatenate(explorer.visited.levels)))


def _taken(explorer: Explorer, states: Numbers) -> Iterator[tuple[int, ...]]:
    groups = explorer.groups.taken(states)
    parts = (part.tolist() for part in (groups.coordinators, groups.left, *groups.clients))
    return zip(*parts, strict=True)


def _onward(groups: Groups, coordinator: int, left: int, *clients: int) -> Iterator[tuple[int, ...]]:
    for who, client in enumerate(clients):
        steps = [(left, step) for step in groups.pairs.steps(coordinator, client)]
        if left:
            harms = groups.pairs.faults(coordinator, client)
            steps += [(left - 1, step) for fault, step in harms if fault in groups.bounds.kinds]
        for left_after, (_, after, client_after, _) in steps:
            yield (after, left_after, *clients[:who], client_after, *clients[who + 1 :])


def test_the_same_search_visits_the_same_states() -> None:
    bounds = Bounds(members=2, partitions=1, faults=1, kinds=frozenset({Fault.LOST_TAIL, Fault.ANSWER_LOST}))
    assert explored(bounds) == explored(bounds)


def test_a_search_may_be_cut_short() -> None:
    result = explored(Bounds(most_states=1_000))
    assert result.finding is None
    assert not result.is_complete
    assert result.states == 1_000


def finding(bounds: Bounds) -> Finding:
    found = explored(bounds).finding
    assert found is not None
    return found


def told(bounds: Bounds, found: Finding, broken: str) -> Told:
    """The scenario of a finding, which breaks the same in the pair world."""
    scenario = tell(bounds.names, bounds.partitions, found.moves)
    assert broken in (scenario.broken or ""), scenario.text
    return scenario


def bounds_of(*kinds: Fault, partitions: int = 2) -> Bounds:
    return Bounds(members=2, partitions=partitions, faults=1, kinds=frozenset(kinds))


def test_partitions_granted_before_they_are_released_are_found_on_the_shortest_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reconciliation, "_is_free", lambda *_: True)
    bounds = Bounds(members=2, partitions=2, faults=0)
    found = finding(bounds)
    assert any("is with A and with B" in broken for broken in found.broken)
    assert told(bounds, found, "is with A and with B").commands == (
        "topic foo 2",
        "member A B",
        "subscribe B foo",
        "deliver B->coordinator",
        "subscribe A foo",
        "deliver A->coordinator",
    )


def test_a_group_that_never_settles_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a lost answer told is not told again."""
    monkeypatch.setattr("kafka_nextgen.testing.coordinator.heartbeat._is_full", lambda _: False)
    assert "for the coordinator B stays UNREVOKED_PARTITIONS at 2" in finding(bounds_of(Fault.ANSWER_LOST)).broken


def test_a_log_that_leads_elsewhere_is_found_wherever_it_was_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here as if every way to a state but the first had written nothing."""
    look = Coordinators._look_at_log
    monkeypatch.setattr(Coordinators, "_look_at_log", lambda self, group, _, number: look(self, group, {}, number))
    found = finding(bounds_of(Fault.CRASH, partitions=1))
    assert found.moves
    assert found.broken == ("the log leads to another state than the current one",)


def test_what_a_member_is_about_to_get_must_be_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeats, "_reported", lambda state: state.owned | state.held)
    bounds = bounds_of(Fault.ANSWER_LOST, Fault.REQUEST_LOST)
    found = finding(bounds)
    assert "which is not its own" in found.broken[0]
    told(bounds, found, "which is not its own")


def test_what_a_member_may_take_next_must_be_acknowledged_with_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """The coordinator tells a late copy of A's keepalive to give up foo[1], and takes A's acknowledgement of foo[0],
    sent before, for the answer to that. So A still believes in the target it heard last.
    """
    reported = heartbeats._reported
    monkeypatch.setattr(
        heartbeats, "_reported", lambda state: state.owned if state.status is Status.ACKNOWLEDGING else reported(state)
    )
    bounds = Bounds(members=2, partitions=1, faults=2, kinds=LATE_AND_TOPICS)
    found = finding(bounds)
    assert found.broken == ("A works on foo[1], which is not its own",)
    assert len(found.moves) == 18
    told(bounds, found, found.broken[0])


def test_late_requests_are_excused_for_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairs, "_overtakes", lambda *_: False)
    bounds = bounds_of(Fault.REPEATED)
    found = finding(bounds)
    assert "which is not its own" in found.broken[0]
    told(bounds, found, "which is not its own")


def test_members_that_are_left_out_are_excused_for_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairs, "_leaves_out", lambda *_: False)
    assert "for the coordinator A stays UNREVOKED_PARTITIONS at 2" in finding(bounds_of(Fault.REPEATED)).broken


def test_the_command_says_how_many_states_there_are() -> None:
    ran = CliRunner().invoke(main, ["--partitions", "1", "--faults", "0", "--quiet"])
    assert ran.exit_code == 0, ran.output
    assert "2 members, 1 partitions, at most 0 faults: to the end" in ran.output


def test_who_interrupts_hears_how_far_it_came(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(explorer: Explorer, *_: object) -> None:
        if len(explorer.visited.levels) > 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(Explorer, "_misled", interrupted)
    ran = CliRunner().invoke(main, ["--partitions", "1", "--faults", "0", "--quiet"])
    assert ran.exit_code == 130
    assert ran.output.startswith("interrupted\n2 members, 1 partitions, at most 0 faults: not to the end\n")
    assert " 6 states, " in ran.output


def test_the_command_prints_the_scenario_of_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reconciliation, "_is_free", lambda *_: True)
    ran = CliRunner().invoke(main, ["--faults", "0", "--quiet"])
    assert ran.exit_code == 1
    assert "# Broken: " in ran.output
    assert "\nsubscribe B foo\n" in ran.output


@pytest.mark.parametrize(
    "kinds", list(combinations(Fault, 2)), ids=lambda kinds: " and ".join(kind.value for kind in kinds)
)
def test_every_way_leads_to_the_same_in_the_pair_world(kinds: tuple[Fault, Fault]) -> None:
    bounds = Bounds(members=2, partitions=2, faults=2, kinds=frozenset(kinds), most_states=1_500)
    explorer = Explorer(bounds)
    explorer.run()
    for state in np.concatenate(explorer.visited.levels)[::97]:
        group = explorer.groups.taken(np.array([state]))
        scenario = tell(bounds.names, bounds.partitions, explorer.way_to(int(state)))
        assert scenario.broken is None, scenario.text
        standing = explorer.coordinators.standings[group.coordinators[0]]
        assert scenario.world.host.coordinator.groups.get(GROUP) == standing.group, scenario.text
        for (number,), client in zip(group.clients, scenario.world.clients.values(), strict=True):
            member = None if client.member is None else client.member.state
            assert _gist(explorer.crowd.lives[number].member) == _gist(member), scenario.text


def _gist(member: MemberState | None) -> object:
    return member and (member.member_id, member.status, member.phase, member.member_epoch, member.owned, member.held)
