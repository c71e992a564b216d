"""What a member does from being told to compute until that is installed."""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from tests.membership.assigning.conversation import Conversation, computing, installing

STALE = ErrorCode.STALE_MEMBER_EPOCH


def test_until_it_has_prepared_it_may_be_told_again_and_again() -> None:
    talk = Conversation()
    talk.hear(compute=True)
    assert talk.hear(compute=True) == []
    talk.prepare()
    talk.compute()
    assert talk.install() == ["tell the member"]


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


def test_an_assignor_that_never_ends_costs_this_member_its_turns() -> None:
    talk = computing()
    talk.passes(60)
    talk.hear(compute=True)
    assert (talk.passes(60), talk.phase) == ([], "idle")


def test_a_report_that_is_refused_is_not_told_of_again() -> None:
    talk = computing()
    talk.raise_error()
    assert (talk.refuse(ErrorCode.INVALID_ASSIGNMENT), talk.phase) == ([], "idle")


def test_an_assignor_that_this_member_has_not_is_told_of() -> None:
    talk = Conversation("mine", "other")
    talk.hear(compute=True)
    assert talk.prepare(assignor="theirs") == [
        "tell theirs: this member does not have the assignor",
        "install epoch=5 group=7 error=2 nothing: this member does not have the assignor",
    ]


def test_an_assignment_that_is_refused_is_told_of() -> None:
    talk = installing()
    assert talk.refuse(ErrorCode.INVALID_ASSIGNMENT, "left foo[0] unassigned") == [
        "tell mine: the coordinator refused its assignment: left foo[0] unassigned (INVALID_ASSIGNMENT)"
    ]
    assert talk.phase == "idle"


def test_a_group_that_may_not_be_looked_at_is_told_of() -> None:
    talk = Conversation()
    talk.hear(compute=True)
    assert talk.refuse(ErrorCode.GROUP_AUTHORIZATION_FAILED) == [
        "tell the coordinator: the coordinator refused to describe the group: GROUP_AUTHORIZATION_FAILED"
    ]
    assert talk.phase == "idle"


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
