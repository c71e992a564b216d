"""The invariants bite: a machine with a mistake is found out, whatever its scenario says."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve

from kafka_nextgen.membership import heartbeats
from kafka_nextgen.membership.classic import losing, requests
from kafka_nextgen.membership.classic.state import NOTHING
from kafka_nextgen.membership.effects import ApplyAssignment, CallOnAssigned, CallOnRevoked, SendHeartbeat
from kafka_nextgen.types import TopicPartition
from tests.scenarios.files import FOLDER, player_of, scenario_in
from tests.verification.scenario_language import InvariantError
from tests.verification.scenario_language.watching import Watch

MEMBER = FOLDER / "member"


def play(path: Path) -> None:
    scenario = scenario_in(path)
    player_of(scenario).play(scenario)


def test_a_member_that_reports_only_what_it_finished_with_works_on_what_is_another_s(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(heartbeats, "_reported", lambda state: state.owned | state.held)
    with pytest.raises(InvariantError, match=r"A works on foo\[0-1\], which is not its own"):
        play(MEMBER / "granted_and_taken.txt")


def test_a_member_that_does_not_report_what_its_application_has_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeats, "_reported", lambda state: state.owned)
    with pytest.raises(InvariantError, match="what the application has is reported"):
        play(MEMBER / "callbacks_raise.txt")


def test_a_member_that_forgets_nothing_after_a_failure_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = heartbeats.failed
    monkeypatch.setattr(heartbeats, "failed", lambda state: evolve(failed(state), sent=state.sent))
    with pytest.raises(InvariantError, match="changes are told only when the rest is known"):
        play(MEMBER / "acknowledge.txt")


def test_a_classic_member_that_tells_the_group_of_nothing_it_kept_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    send_join = requests.send_join
    monkeypatch.setattr(
        requests, "send_join", lambda state, at: send_join(evolve(state, owned=NOTHING, held=NOTHING), at)
    )
    with pytest.raises(InvariantError, match="a JoinGroup reports what the application was told of"):
        play(FOLDER / "classic" / "cooperative.txt")


def test_a_classic_member_that_commits_on_after_it_was_thrown_out_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    count_out = losing.count_out
    monkeypatch.setattr(losing, "count_out", lambda state, **more: (count_out(state, **more)[0], ()))
    with pytest.raises(InvariantError, match="commits go under the generation the member is in"):
        play(FOLDER / "classic" / "unknown_member.txt")


def test_a_classic_member_that_keeps_what_it_gave_up_in_force_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(losing, "ASSIGN_NOTHING", ApplyAssignment(frozenset(FOO), (), frozenset(FOO)))
    with pytest.raises(InvariantError, match="what is in force is what the application has"):
        play(FOLDER / "classic" / "unknown_member.txt")


def watched(*effects: object) -> list[str]:
    watch = Watch()
    for effect in effects:
        watch.sees(effect)
    return watch.broken


FOO = (TopicPartition("foo", 0),)


def test_what_was_not_assigned_cannot_be_given_up() -> None:
    assert watched(CallOnRevoked(1, FOO)) == ["a partition is given up once"]
    assert watched(CallOnRevoked(1, ())) == ["a callback is called for something"]


def test_what_is_assigned_twice_was_not_given_up() -> None:
    assert watched(CallOnAssigned(1, FOO), CallOnAssigned(2, FOO)) == ["given up before it is assigned again"]


def test_two_heartbeats_are_one_too_many() -> None:
    join = SendHeartbeat(1, "A", 0, owned=frozenset(), full=True)
    assert watched(join, evolve(join, number=2)) == ["one heartbeat is in flight"]
    assert watched(join, SendHeartbeat(2, "A", -1)) == []


def test_a_join_says_everything() -> None:
    assert watched(SendHeartbeat(1, "A", 0)) == ["a join says everything, and owns nothing"]
