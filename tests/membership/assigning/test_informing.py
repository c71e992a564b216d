"""What a member's own assignor, and its application, hear of assignments whoever computed them."""

from __future__ import annotations

from kafka_nextgen.assignors.spec import MemberAssignment, Metadata
from kafka_nextgen.group_metadata import ConsumerGroupMetadata
from kafka_nextgen.membership.assigning.events import HeartbeatHeard, TargetShare
from tests.membership.assigning.conversation import Conversation, computing, installing


def test_it_is_told_where_the_member_stands_and_what_the_assignor_said() -> None:
    talk = Conversation()
    talk.says(HeartbeatHeard("me", 5, share=TargetShare(frozenset(), "mine", 1, Metadata(2, b"word"))))
    (call,) = talk.calls
    assert (call.error, call.assignment) == (1, MemberAssignment({}, Metadata(2, b"word")))
    assert call.group == ConsumerGroupMetadata("billing", 5, "me")


def test_only_the_assignor_that_made_the_target_is_called() -> None:
    talk = Conversation("mine", "old")
    assert talk.share(5, 0, assignor="old") == ["old on_assignment epoch=5 [0]"]
    assert talk.share(6, 0, assignor=None) == []
    assert talk.share(7, 0, assignor="theirs") == []


def test_in_the_group_again_it_is_called_again() -> None:
    talk = Conversation()
    talk.share(5, 0)
    talk.end()
    assert talk.share(5, 0) == ["mine on_assignment epoch=5 [0]"]


def test_the_failure_of_another_member_is_told_as_the_coordinator_puts_it() -> None:
    talk = Conversation()
    assert talk.hear(failure="assignor 'mine' of member B failed") == [
        "tell the coordinator: assignor 'mine' of member B failed"
    ]
    assert talk.machine.state.failure == "assignor 'mine' of member B failed"


def test_ones_own_failure_is_not_told_again_when_the_coordinator_tells_of_it() -> None:
    talk = computing()
    talk.raise_error()
    talk.install()
    assert talk.hear(failure="assignor 'mine' of member me failed") == []
    assert talk.hear(failure="assignor 'mine' of member B failed") != []


def test_a_new_target_puts_an_end_to_a_failure() -> None:
    talk = computing()
    talk.raise_error()
    assert talk.machine.state.failure == "it raised ValueError: boom"
    talk.share(6, 0)
    assert talk.machine.state.failure is None
    assert talk.hear(failure="assignor 'mine' of member B failed") != []


def test_computing_does_not_keep_it_from_hearing() -> None:
    talk = installing()
    assert talk.share(6, 1) == ["mine on_assignment epoch=6 [1]"]
