"""What a member does from being told to compute until that is installed."""

from __future__ import annotations

import pytest

from kafka_nextgen.codes import ErrorCode
from tests.membership.assigning.conversation import Conversation, computing, installing

STALE = ErrorCode.STALE_MEMBER_EPOCH


def test_a_member_that_is_told_to_prepares_computes_and_installs() -> None:
    talk = Conversation()
    assert talk.hear(5) == []
    assert talk.hear(5, compute=True) == ["prepare epoch=5 for 30 s"]
    assert talk.prepare(group_epoch=7) == ["compute mine"]
    assert talk.compute() == ["install epoch=5 group=7 me"]
    assert talk.install() == ["tell the member"]
    assert (talk.phase, talk.machine.deadline()) == ("idle", None)


def test_the_epoch_is_the_one_that_the_last_heartbeat_brought() -> None:
    talk = computing()
    assert talk.hear(6) == []
    assert talk.compute() == ["install epoch=6 group=7 me"]


def test_until_it_has_prepared_it_may_be_told_again_and_again() -> None:
    talk = Conversation()
    talk.hear(compute=True)
    assert talk.hear(compute=True) == []
    talk.prepare()
    talk.compute()
    assert talk.install() == ["tell the member"]


def test_told_again_while_it_computes_it_prepares_again_when_it_is_done() -> None:
    talk = computing()
    assert talk.hear(compute=True) == []
    talk.compute()
    assert talk.install() == ["tell the member", "prepare epoch=5 for 30 s"]


def test_told_by_another_coordinator_it_prepares_again_when_its_result_is_not_wanted() -> None:
    talk = installing()
    talk.hear(compute=True)
    assert talk.refuse(ErrorCode.UNKNOWN_MEMBER_ID) == ["prepare epoch=5 for 30 s"]


def test_a_stale_epoch_waits_for_the_next_heartbeat() -> None:
    talk = Conversation()
    talk.hear(5, compute=True)
    assert talk.refuse(STALE) == []
    assert talk.passes(20) == []
    assert talk.hear(6) == ["prepare epoch=6 for 30 s"]
    talk.prepare()
    talk.compute()
    assert talk.refuse(STALE) == []
    assert talk.hear(6) == ["install epoch=6 group=7 me"]


def test_an_epoch_that_is_known_to_be_stale_by_now_is_not_waited_for() -> None:
    talk = Conversation()
    talk.hear(5, compute=True)
    talk.hear(6)
    assert talk.refuse(STALE) == ["prepare epoch=6 for 30 s"]
    assert talk.refuse(STALE) == []
    assert talk.hear(6) == ["prepare epoch=6 for 30 s"]


@pytest.mark.parametrize("code", [ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.GROUP_ID_NOT_FOUND])
def test_who_is_not_to_compute_any_more_stands_down_without_a_word(code: ErrorCode) -> None:
    talk = Conversation()
    talk.hear(compute=True)
    assert (talk.refuse(code), talk.phase) == ([], "idle")
    talk = installing()
    assert (talk.refuse(code), talk.phase) == ([], "idle")


def test_what_passes_is_tried_again_with_growing_pauses() -> None:
    talk = Conversation()
    talk.hear(compute=True)
    assert talk.refuse(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS) == []
    assert talk.passes(0.09) == []
    assert talk.passes(0.01) == ["prepare epoch=5 for 30 s"]
    assert talk.lose() == []
    assert talk.passes(0.19) == []
    assert talk.passes(0.01) == ["prepare epoch=5 for 30 s"]
    assert talk.refuse(ErrorCode.NOT_COORDINATOR) == ["find coordinator"]
    assert talk.passes(0.4) == ["prepare epoch=5 for 30 s"]


def test_an_installation_that_got_lost_is_repeated_and_may_have_arrived() -> None:
    talk = installing()
    assert talk.lose() == []
    assert talk.passes(0.1) == ["install epoch=5 group=7 me"]
    assert (talk.refuse(ErrorCode.UNKNOWN_MEMBER_ID), talk.phase) == ([], "idle")


def test_nothing_is_asked_after_the_rebalance_timeout() -> None:
    talk = Conversation()
    talk.hear(compute=True)
    talk.refuse(STALE)
    assert (talk.passes(60), talk.phase) == ([], "idle")
    assert talk.hear() == []


def test_the_last_request_is_waited_for_no_longer_than_there_is_time() -> None:
    talk = Conversation()
    talk.hear(compute=True)
    talk.refuse(STALE)
    talk.passes(50)
    assert talk.hear() == ["prepare epoch=5 for 10 s"]


def test_an_assignor_that_is_too_slow_is_told_of_and_its_result_not_used() -> None:
    talk = computing()
    assert talk.passes(60) == ["tell mine: it is not done within the rebalance timeout of 60 s"]
    assert (talk.compute(), talk.phase) == ([], "idle")
    assert talk.hear(compute=True) == ["prepare epoch=5 for 30 s"]


@pytest.mark.parametrize("ends", [Conversation.compute, Conversation.raise_error])
def test_one_computation_at_a_time(ends: object) -> None:
    talk = computing()
    talk.passes(60)
    assert (talk.hear(compute=True), talk.phase) == ([], "blocked")
    assert talk.hear(compute=True) == []
    assert callable(ends)
    assert ends(talk) == ["prepare epoch=5 for 30 s"]


def test_an_assignor_that_never_ends_costs_this_member_its_turns() -> None:
    talk = computing()
    talk.passes(60)
    talk.hear(compute=True)
    assert (talk.passes(60), talk.phase) == ([], "idle")


def test_an_assignor_that_raises_is_told_of_here_and_to_the_coordinator() -> None:
    talk = computing()
    assert talk.raise_error() == [
        "tell mine: it raised ValueError: boom",
        "install epoch=5 group=7 error=2 nothing: it raised ValueError: boom",
    ]
    assert (talk.install(), talk.phase) == ([], "idle")


def test_a_report_that_is_refused_is_not_told_of_again() -> None:
    talk = computing()
    talk.raise_error()
    assert (talk.refuse(ErrorCode.INVALID_ASSIGNMENT), talk.phase) == ([], "idle")


def test_an_assignor_that_this_member_has_not_is_told_of() -> None:
    talk = Conversation("mine", "other")
    talk.hear(compute=True)
    assert talk.prepare(assignor="theirs") == [
        "tell theirs: this member has no such assignor",
        "install epoch=5 group=7 error=2 nothing: this member has no such assignor",
    ]


def test_an_assignment_that_is_refused_is_told_of() -> None:
    talk = installing()
    assert talk.refuse(ErrorCode.INVALID_ASSIGNMENT, "left foo[0] unassigned") == [
        "tell mine: the coordinator refused what it made: left foo[0] unassigned (INVALID_ASSIGNMENT)"
    ]
    assert talk.phase == "idle"


def test_a_group_that_may_not_be_looked_at_is_told_of() -> None:
    talk = Conversation()
    talk.hear(compute=True)
    assert talk.refuse(ErrorCode.GROUP_AUTHORIZATION_FAILED) == [
        "tell the coordinator: the coordinator refused to prepare it: GROUP_AUTHORIZATION_FAILED"
    ]
    assert talk.phase == "idle"


@pytest.mark.parametrize("steps", [0, 1, 2, 3])
def test_who_is_out_of_the_group_has_nothing_to_compute(steps: int) -> None:
    talk = Conversation()
    for step in (lambda: talk.hear(compute=True), talk.prepare, talk.compute)[:steps]:
        step()
    assert (talk.end(), talk.phase, talk.machine.deadline()) == ([], "idle", None)


def test_the_result_for_a_membership_that_is_over_comes_too_late() -> None:
    talk = computing()
    talk.end()
    assert talk.hear(8, compute=True) == []
    talk.end()
    talk.hear(9, compute=True)
    assert talk.compute() == ["prepare epoch=9 for 30 s"]


def test_answers_to_what_nobody_waits_for_are_late() -> None:
    talk = installing()
    talk.install()
    assert (talk.install(), talk.refuse(STALE), talk.lose(), talk.prepare(), talk.compute()) == ([], [], [], [], [])
