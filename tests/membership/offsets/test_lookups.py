"""Lookups of committed offsets: no error is ever taken for "there is none"."""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.offsets.rules import CLASSIC_RULES as CLASSIC
from tests.membership.offsets.conversation import Conversation, member

STALE = ErrorCode.STALE_MEMBER_EPOCH


def test_a_member_asks_in_its_own_name() -> None:
    talk = member()
    assert talk.look_up("foo[0-1]") == ["look up as epoch=3 foo[0-1]"]
    assert talk.tell("foo[0]=5 foo[1]=-") == ["1 found foo[0]=5 foo[1]=-"]


def test_a_partition_that_the_answer_leaves_out_is_asked_for_again_after_a_pause() -> None:
    talk = member()
    talk.look_up("foo[0-1]")
    assert talk.tell("foo[0]=5") == []
    assert talk.passes(0.1) == ["look up as epoch=3 foo[1]"]
    assert talk.tell("foo[1]=7") == ["1 found foo[0]=5 foo[1]=7"]


def test_a_partition_that_every_answer_leaves_out_ends_as_a_timeout_never_as_no_offset() -> None:
    talk = member()
    talk.look_up("foo[0]", within_s=0.15)
    talk.tell("")
    assert talk.passes(0.1) == ["look up as epoch=3 foo[0]"]
    assert talk.tell("") == ["1 timed out after 0.15 s: OffsetFetch was answered without foo[0]"]


def test_a_timeout_names_what_was_left_out_and_not_a_topic_that_is_unknown() -> None:
    talk = member()
    talk.look_up("foo[0-1]", within_s=0.05)
    assert talk.tell("", p1=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION) == [
        "1 timed out after 0.05 s: OffsetFetch was answered without foo[0]"
    ]


def test_what_is_left_out_waits_with_what_is_refused() -> None:
    talk = member()
    talk.look_up("foo[0-2]")
    assert talk.tell("foo[0]=5", p1=ErrorCode.UNSTABLE_OFFSET_COMMIT) == []
    assert talk.passes(0.1) == ["look up as epoch=3 foo[1-2]"]


def test_a_stranger_and_a_classic_member_ask_in_nobodys() -> None:
    assert Conversation().look_up("foo[0]") == ["look up as nobody foo[0]"]
    assert member(rules=CLASSIC).look_up("foo[0]") == ["look up as nobody foo[0]"]


def test_a_stale_epoch_is_asked_again_with_the_next_one() -> None:
    talk = member()
    talk.look_up("foo[0]")
    assert talk.tell("", STALE) == []
    assert talk.publish(4) == ["look up as epoch=4 foo[0]"]
    assert talk.tell("foo[0]=5") == ["1 found foo[0]=5"]


def test_a_stale_epoch_never_ends_as_no_offset() -> None:
    talk = member()
    talk.look_up("foo[0]", within_s=0.15)
    talk.tell("", STALE)
    assert talk.passes(0.1) == ["look up as epoch=3 foo[0]"]
    talk.tell("", STALE)
    assert talk.passes(0.05) == ["1 timed out after 0.15 s: STALE_MEMBER_EPOCH"]


def test_a_stale_epoch_that_no_other_follows_is_asked_again_after_growing_pauses() -> None:
    talk = member()
    talk.look_up("foo[0]")
    talk.tell("", STALE)
    assert talk.passes(0.1) == ["look up as epoch=3 foo[0]"]
    talk.tell("", STALE)
    assert talk.passes(0.19) == []
    assert talk.passes(0.01) == ["look up as epoch=3 foo[0]"]
    assert talk.tell("foo[0]=5") == ["1 found foo[0]=5"]


def test_a_topic_that_may_not_be_read_fails_the_lookup() -> None:
    talk = member()
    talk.look_up("foo[0]")
    refused = ErrorCode.TOPIC_AUTHORIZATION_FAILED
    assert talk.tell("", p0=refused) == ["1 failed TopicAuthorizationError foo[0]=TOPIC_AUTHORIZATION_FAILED"]


def test_only_what_is_missing_is_asked_again() -> None:
    talk = member()
    talk.look_up("foo[0-1]")
    assert talk.tell("foo[0]=5", p1=ErrorCode.UNSTABLE_OFFSET_COMMIT) == []
    assert talk.passes(0.1) == ["look up as epoch=3 foo[1]"]
    assert talk.tell("foo[1]=7") == ["1 found foo[0]=5 foo[1]=7"]


def test_a_topic_that_is_unknown_just_now_has_no_answer_rather_than_no_offset() -> None:
    talk = member()
    talk.look_up("foo[0-1]")
    assert talk.tell("foo[0]=5", p1=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION) == ["1 found foo[0]=5"]


def test_a_topic_that_is_unknown_holds_up_nothing_but_itself() -> None:
    talk = member()
    talk.look_up("foo[0-1]")
    assert talk.tell("", p0=ErrorCode.NOT_COORDINATOR, p1=ErrorCode.UNKNOWN_TOPIC_ID) == ["find coordinator"]
    assert talk.passes(0.1) == ["look up as epoch=3 foo[0]"]
    assert talk.tell("foo[0]=5") == ["1 found foo[0]=5"]


def test_who_is_out_of_the_group_learns_nothing() -> None:
    talk = member()
    talk.look_up("foo[0]")
    unknown = ErrorCode.UNKNOWN_MEMBER_ID
    assert talk.tell("", unknown) == ["1 failed BrokerError foo[0]=UNKNOWN_MEMBER_ID"]


def test_a_lookup_without_an_answer_is_repeated_until_its_time_is_over() -> None:
    talk = member()
    talk.look_up("foo[0]", within_s=0.15)
    assert talk.lose_lookup() == []
    assert talk.passes(0.1) == ["look up as epoch=3 foo[0]"]
    assert talk.lose_lookup() == ["1 timed out after 0.15 s: the connection was reset"]


def test_a_lookup_that_nobody_waits_for_is_not_repeated() -> None:
    talk = member()
    talk.look_up("foo[0]")
    assert talk.withdraw(1) == []
    assert talk.lose_lookup() == []
    assert talk.passes(60) == []


def test_a_second_answer_means_nothing() -> None:
    talk = member()
    talk.look_up("foo[0]")
    talk.lookups.append(talk.lookups[0])
    assert talk.tell("foo[0]=5") == ["1 found foo[0]=5"]
    assert talk.tell("foo[0]=9") == []
