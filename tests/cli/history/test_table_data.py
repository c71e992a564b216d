from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import evolve
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings

from kafka_nextgen.cli.history.log import facts_since
from kafka_nextgen.cli.history.table_data import (
    blocking_holdup,
    member_names,
    summarize_holdups,
    unstable_members,
    with_member_names,
    worst_rebalances,
    worst_standstills,
)
from kafka_nextgen.cli.history.tables import print_analysis
from kafka_nextgen.cli.main import cli
from kafka_nextgen.cli.times import time_text
from kafka_nextgen.history.analysis import Analysis, analyze
from kafka_nextgen.history.events import Event
from kafka_nextgen.history.facts import FACTS, Fact, Holdup, MemberSummary, Rebalance, Standstill
from kafka_nextgen.history.json_lines import encode_event
from tests.history.made_log import made_answers
from tests.history.making import EVENTS
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


def test_of_rebalances_in_which_nothing_stood_still_those_that_lasted_longest_are_the_worst() -> None:
    short, long, later, endless = (
        evolve(REBALANCE, began=began, ended=ended, stood_ms=0)
        for began, ended in ((1_000, 1_100), (2_000, 2_900), (3_000, 3_200), (4_000, None))
    )
    assert worst_rebalances([short, long, later, endless], 2) == [long, endless]
    assert worst_rebalances([evolve(short, stood_ms=1), long, later], 1) == [evolve(short, stood_ms=1)]


def test_members_that_stay_are_not_restless() -> None:
    members = [each for each in made_answers(rebalances=30).facts["members"] if isinstance(each, MemberSummary)]
    found = unstable_members(members)
    assert found
    assert all(each.fenced or each.poll_timeouts for each in found)
    assert {each.member for each in members if each.fenced} == {each.member for each in found}


# ---- what members are called


MEMBER = MemberSummary("c", "g", "", None, None, None, 0, 0, 1, 0, 0, 0, 0, 0, 0)
LONG = "0be49118-07ed-48d2-b931-4e8f44fc5774"


def names(*members: tuple[str, str | None, str | None]) -> list[str]:
    """Of members by their ids, instances and clients."""
    given = [evolve(MEMBER, member=member, instance=instance, client=client) for member, instance, client in members]
    return [member_names(given)[each.member] for each in given]


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ([("A", None, None)], ["A"]),
        ([(LONG, None, None)], ["0be49118"]),
        ([(LONG, None, "app")], ["app"]),
        ([(LONG, "one", "app")], ["one"]),
        ([("ab12cd34ef", None, "app"), ("cd", None, "app")], ["app ab12cd34", "app cd"]),
        ([(f"app-{LONG}", None, "app"), ("app-77777777-8", None, "app")], ["app 0be49118", "app 77777777"]),
        ([("same-id-1", None, "app"), ("same-id-2", None, "app")], ["same-id-1", "same-id-2"]),
        ([(f"{LONG}a", None, None), (f"{LONG}b", None, None)], [f"{LONG}a", f"{LONG}b"]),
    ],
)
def test_names(members: list[tuple[str, str | None, str | None]], expected: list[str]) -> None:
    assert names(*members) == expected


def test_what_is_not_known_keeps_its_id() -> None:
    holdup = Holdup("c", "g", 1, "A", 0, 1, 0, 0, 0, 1)
    assert [each.member for each in with_member_names([holdup, evolve(holdup, member="B")], {"A": "app"})] == [
        "app",
        "B",
    ]


# ---- logs of many groups: what is done for each of them does not go over the facts of all of them


class _Counted(list[Fact]):
    passes = 0

    def __iter__(self) -> Iterator[Fact]:
        self.passes += 1
        return super().__iter__()


def _passes(groups: int) -> list[int]:
    made = made_answers(rebalances=2, partitions=2, members=2, groups=groups)
    counted = {name: _Counted(made.facts[name]) for name in FACTS}
    print_analysis(Analysis(counted), 10)
    facts_since(Analysis(counted), 0)
    return [facts.passes for facts in counted.values()]


def test_facts_are_gone_over_as_often_for_many_groups_as_for_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert _passes(groups=5) == _passes(groups=1)
    assert capsys.readouterr().out.count("Rebalances") == 6


# ---- whatever a log says, the report is told, in each of its forms


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(EVENTS.filter(bool))
def test_any_log_is_reported(tmp_path: Path, events: list[Event]) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("".join(f"{encode_event(event)}\n" for event in events))
    runner = CliRunner()
    page = tmp_path / "page.html"
    tables = runner.invoke(cli, ["history", "report", str(log), "--html", str(page)], catch_exceptions=False)
    assert tables.exit_code == 0, tables.output
    assert page.read_text().rstrip().endswith("</html>")
    document = runner.invoke(cli, ["history", "report", str(log), "--json"], catch_exceptions=False)
    assert json.loads(document.stdout)
    at = time_text(events[0].at)
    moment = runner.invoke(cli, ["history", "report", str(log), "--at", at], catch_exceptions=False)
    assert moment.exit_code == 0, moment.output
