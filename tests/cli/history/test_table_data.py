from __future__ import annotations

import pytest
from attrs import evolve

from kafka_nextgen.cli.history.table_data import blocking_holdup, summarize_holdups, unstable_members, worst_standstills
from kafka_nextgen.history.analysis import analyze
from kafka_nextgen.history.facts import Holdup, MemberSummary, Rebalance, Standstill
from tests.history.made_log import made_answers
from tests.history.story import story

_STORY = """
    1 coordinator:1 joined A @1
    1 coordinator:1 group_epoch A @1 cause=joined
    2 consumer:a assigned A @1 orders[0]
"""
[_REBALANCE] = [each for each in analyze(story(_STORY)).facts["rebalances"] if isinstance(each, Rebalance)]
REBALANCE = evolve(_REBALANCE, epoch=7, holder="C")


def _holdup(member: str, processing: int = 0, commit: int = 0, callback: int = 0, coordinator: int = 0) -> Holdup:
    return Holdup("c", "g", 7, member, 0, 1000, processing, commit, callback, coordinator)


@pytest.mark.parametrize(
    ("holdups", "member"),
    [([], None), ([_holdup("B", 5), _holdup("C", 5)], "C"), ([_holdup("B", 5), _holdup("C")], None)],
    ids=["none", "the holder", "the holder took no time"],
)
def test_the_member_that_others_waited_for(holdups: list[Holdup], member: str | None) -> None:
    found = blocking_holdup(REBALANCE, holdups)
    assert (found.member if found else None) == member


def test_the_part_that_took_the_longest() -> None:
    assert _holdup("A", 1, 2, 4, 3).longest_part == ("callback", 4)


def test_each_rebalance_is_held_up_by_one_member() -> None:
    facts = made_answers(rebalances=50).facts
    rebalances = [each for each in facts["rebalances"] if isinstance(each, Rebalance)]
    holdups = [each for each in facts["holdups"] if isinstance(each, Holdup)]
    found = summarize_holdups(rebalances, holdups)
    assert sum(each.rebalances for each in found) == len({each.epoch for each in holdups if each.ms})
    assert [each.ms for each in found] == sorted((each.ms for each in found), reverse=True)


def test_standstills_that_are_not_over_come_first() -> None:
    stood = [each for each in made_answers(rebalances=20).facts["standstills"] if isinstance(each, Standstill)]
    endless = evolve(stood[3], ended=None, ms=None)
    found = worst_standstills([*stood, endless])
    assert found[0] == endless
    assert [each.ms or 0 for each in found[1:]] == sorted((each.ms or 0 for each in stood), reverse=True)


def test_members_that_stay_are_not_restless() -> None:
    members = [each for each in made_answers(rebalances=30).facts["members"] if isinstance(each, MemberSummary)]
    found = unstable_members(members)
    assert found
    assert all(each.fenced or each.poll_timeouts for each in found)
    assert {each.member for each in members if each.fenced} == {each.member for each in found}
