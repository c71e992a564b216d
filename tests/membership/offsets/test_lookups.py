"""Lookups of committed offsets: no error is ever taken for "there is none"."""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.offsets.rules import CLASSIC_RULES as CLASSIC
from tests.membership.offsets.conversation import Conversation, member

STALE = ErrorCode.STALE_MEMBER_EPOCH


def test_a_partition_that_every_answer_leaves_out_ends_as_a_timeout_never_as_no_offset() -> None:
    talk = member()
    talk.look_up("foo[0]", within_s=0.15)
    talk.tell("")
    assert talk.passes(0.1) == ["look up as epoch=3 foo[0]"]
    assert talk.tell("") == ["1 timed out after 0.15 s: the response to OffsetFetch lacks foo[0]"]


def test_a_timeout_names_what_was_left_out_and_not_a_topic_that_is_unknown() -> None:
    talk = member()
    talk.look_up("foo[0-1]", within_s=0.05)
    assert talk.tell("", p1=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION) == [
        "1 timed out after 0.05 s: the response to OffsetFetch lacks foo[0]"
    ]


def test_what_is_left_out_waits_with_what_is_refused() -> None:
    talk = member()
    talk.look_up("foo[0-2]")
    assert talk.tell("foo[0]=5", p1=ErrorCode.UNSTABLE_OFFSET_COMMIT) == []
    assert talk.passes(0.1) == ["look up as epoch=3 foo[1-2]"]


def test_a_stranger_and_a_classic_member_ask_in_nobodys() -> None:
    assert Conversation().look_up("foo[0]") == ["look up as nobody foo[0]"]
    assert member(rules=CLASSIC).look_up("foo[0]") == ["look up as nobody foo[0]"]


def test_a_topic_that_is_unknown_holds_up_nothing_but_itself() -> None:
    talk = member()
    talk.look_up("foo[0-1]")
    assert talk.tell("", p0=ErrorCode.NOT_COORDINATOR, p1=ErrorCode.UNKNOWN_TOPIC_ID) == ["find coordinator"]
    assert talk.passes(0.1) == ["look up as epoch=3 foo[0]"]
    assert talk.tell("foo[0]=5") == ["1 found foo[0]=5"]


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
