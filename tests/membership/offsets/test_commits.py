"""Commits of the application: what is sent when, and how each ends."""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import FencedInstanceError, GroupAuthorizationError
from kafka_nextgen.membership.offsets.effects import Refused
from kafka_nextgen.membership.offsets.events import CommitAnswered
from kafka_nextgen.membership.offsets.rules import CLASSIC_RULES as CLASSIC
from kafka_nextgen.types import TopicPartition
from tests.membership.offsets.conversation import Conversation, member

STALE = ErrorCode.STALE_MEMBER_EPOCH
LOADING = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS


def test_a_static_member_names_its_instance_and_a_stranger_nothing() -> None:
    talk = member(instance_id="one")
    talk.commit("foo[0]=5")
    assert talk.commits[0].instance_id == "one"
    stranger = Conversation(instance_id="one")
    assert stranger.commit("foo[0]=5") == ["commit epoch=-1 foo[0]=5"]
    assert stranger.commits[0].instance_id is None


def test_nothing_to_commit_is_done_at_once() -> None:
    assert member().commit("") == ["1 done"]


def test_a_commit_under_way_when_partitions_are_given_up_does_not_wait_for_a_topic_either() -> None:
    talk = member()
    talk.commit("foo[0]=5 foo[1]=7")
    talk.stops("foo[0]")
    assert talk.refuse(ErrorCode.UNKNOWN_TOPIC_ID, "foo[1]") == ["leave out foo[1]", "1 done"]


def test_a_commit_of_what_is_kept_alone_waits_for_its_topic_while_others_are_given_up() -> None:
    talk = member()
    talk.stops("foo[0]")
    talk.commit("foo[1]=7")
    assert talk.refuse(ErrorCode.UNKNOWN_TOPIC_ID) == []
    assert talk.passes(0.1) == ["commit epoch=3 foo[1]=7"]


def test_a_partition_that_came_back_is_waited_for_again() -> None:
    talk = member()
    talk.stops("foo[0]")
    talk.owns("foo[1]")
    talk.owns("foo[0-1]")
    talk.commit("foo[0]=5")
    assert talk.refuse(ErrorCode.UNKNOWN_TOPIC_ID) == []
    assert talk.passes(0.1) == ["commit epoch=3 foo[0]=5"]


def test_a_pause_that_ends_too_late_is_not_made() -> None:
    talk = member()
    talk.commit("foo[0]=5", within_s=0.05)
    assert talk.refuse(LOADING) == ["1 failed CommitFailedError foo[0]=COORDINATOR_LOAD_IN_PROGRESS"]


def test_a_request_is_waited_for_no_longer_than_the_commit() -> None:
    talk = member()
    talk.commit("foo[0]=5", within_s=4)
    talk.commit("foo[1]=5", within_s=60)
    assert [request.deadline - talk.now for request in talk.commits] == [4.0, 30.0]


def test_a_code_that_is_in_no_table_fails_the_commit() -> None:
    talk = member()
    talk.commit("foo[0]=5")
    talk.says(CommitAnswered(talk.commits.pop(0).number, {TopicPartition("foo", 0): 9999}))
    assert isinstance(talk.ended[1].failure, Refused)


def test_some_refusals_have_an_error_of_their_own() -> None:
    talk = member()
    talk.commit("foo[0]=5")
    talk.refuse(ErrorCode.GROUP_AUTHORIZATION_FAILED)
    talk.commit("foo[0]=5")
    talk.refuse(ErrorCode.FENCED_INSTANCE_ID)
    failures = [talk.ended[ask].failure for ask in (1, 2)]
    assert [each.error for each in failures if isinstance(each, Refused)] == [
        GroupAuthorizationError,
        FencedInstanceError,
    ]


# Epochs.


def test_but_not_after_it_gave_it_up() -> None:
    talk = member()
    talk.stops("foo[1]")
    talk.commit("foo[1]=7")
    talk.lose()
    assert talk.owns("foo[0]") == []
    assert talk.passes(0.1) == ["1 failed CommitFailedError foo[1]=REBALANCE_IN_PROGRESS"]


# Out of the group.


def test_what_is_lost_was_not_given_up() -> None:
    talk = member()
    talk.commit("foo[0]=5")
    talk.lose()
    talk.now += 1  # its pause is over, and nobody has woken the machine yet
    assert talk.publish(-1) == ["1 failed CommitFailedError foo[0]=UNKNOWN_MEMBER_ID"]
    assert talk.stops("foo[0-1]") == []


def test_nor_does_one_that_was_under_way_unless_it_is_acknowledged() -> None:
    talk = member()
    talk.commit("foo[0]=5")
    talk.commit("foo[1]=7")
    talk.publish(-1)
    talk.publish(9)
    assert talk.accept() == ["1 done"]
    assert talk.lose() == ["2 failed CommitFailedError foo[1]=UNKNOWN_MEMBER_ID"]


def test_what_was_lost_is_refused_until_it_is_assigned_again() -> None:
    talk = member()
    talk.publish(-1)
    talk.publish(9)
    talk.owns("foo[1]")
    assert talk.commit("foo[0]=5 foo[1]=7") == ["commit epoch=9 foo[1]=7"]
    assert talk.accept() == ["1 failed CommitFailedError foo[0]=REBALANCE_IN_PROGRESS"]
    talk.owns("foo[0-1]")
    assert talk.commit("foo[0]=5") == ["commit epoch=9 foo[0]=5"]


# Who withdraws, and answers that nobody waits for.


def test_a_commit_that_nobody_waits_for_is_not_repeated() -> None:
    talk = member()
    talk.commit("foo[0]=5")
    assert talk.withdraw(1) == []
    assert talk.lose() == []
    assert talk.passes(60) == []


def test_a_second_answer_means_nothing() -> None:
    talk = member()
    talk.commit("foo[0]=5")
    talk.commits.append(talk.commits[0])
    assert talk.accept() == ["1 done"]
    assert talk.accept() == []


# The classic protocol.


def test_a_classic_member_is_not_told_of_an_earlier_membership() -> None:
    talk = member(rules=CLASSIC)
    talk.commit("foo[0]=5")
    talk.publish(-1)
    talk.publish(4)
    assert talk.refuse(ErrorCode.UNKNOWN_MEMBER_ID) == ["1 failed CommitFailedError foo[0]=UNKNOWN_MEMBER_ID"]


def test_a_classic_commit_that_told_of_the_end_ends_with_it() -> None:
    talk = member(rules=CLASSIC)
    talk.commit("foo[0]=5")
    talk.refuse(ErrorCode.ILLEGAL_GENERATION)
    assert talk.publish(-1) == ["1 failed CommitFailedError foo[0]=UNKNOWN_MEMBER_ID"]


def test_what_was_lost_uncommitted_is_refused_beside_what_there_is_to_commit() -> None:
    talk = member("foo[0-1]")
    assert talk.commit("foo[0]=5 foo[1]=0", lost="foo[1-2]") == ["commit epoch=3 foo[0]=5 foo[1]=0"]
    assert talk.accept() == ["1 failed CommitFailedError foo[1]=REBALANCE_IN_PROGRESS foo[2]=REBALANCE_IN_PROGRESS"]


def test_what_was_lost_is_refused_though_there_is_nothing_to_commit() -> None:
    assert member().commit("", lost="foo[2]") == ["1 failed CommitFailedError foo[2]=REBALANCE_IN_PROGRESS"]


def test_who_is_out_of_the_group_hears_of_what_was_lost_beside_what_is_refused() -> None:
    talk = member()
    talk.publish(-1)
    unknown = "UNKNOWN_MEMBER_ID"
    assert talk.commit("foo[0]=5", lost="foo[2]") == [f"1 failed CommitFailedError foo[0]={unknown} foo[2]={unknown}"]


def test_a_commit_that_is_under_way_tells_by_itself_of_what_was_lost_meanwhile() -> None:
    talk = member()
    talk.commit("foo[1]=7")
    talk.owns("foo[0]")
    assert talk.commit("foo[0]=5", lost="foo[1]") == ["commit epoch=3 foo[0]=5"]
    assert talk.accept() == ["1 done"]
    assert talk.accept() == ["2 done"]


def test_what_the_cluster_does_not_have_fails_at_once_and_what_it_may_have_does_not() -> None:
    talk = member()
    talk.commit("foo[0]=5")
    assert talk.absent("foo[0]") == ["1 failed CommitFailedError foo[0]=UNKNOWN_TOPIC_OR_PARTITION"]
    talk.commit("foo[0]=5 foo[1]=7")
    talk.stops("foo[0]")
    assert talk.absent("foo[0-1]") == ["leave out foo[0-1]", "2 done"], "others wait for what is given up"
