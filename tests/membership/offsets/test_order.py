"""A later commit of a partition is never overtaken by an earlier one, or by its repetition."""

from __future__ import annotations

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.offsets import ending
from tests.membership.offsets.conversation import Conversation, member

LOADING = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
TOO_LARGE = ErrorCode.OFFSET_METADATA_TOO_LARGE


def test_an_earlier_commit_goes_on_with_what_the_later_one_does_not_have() -> None:
    talk = member()
    talk.commit("foo[0]=5 foo[1]=5")
    talk.lose()
    talk.commit("foo[0]=7")
    assert talk.passes(1) == ["commit epoch=3 foo[1]=5", "commit epoch=3 foo[0]=7"]
    assert talk.accept() == []
    assert talk.accept() == ["1 done", "2 done"]


def test_what_follows_a_commit_that_is_refused_for_good_is_refused_before_it() -> None:
    talk = member()
    talk.commit("foo[0]=5 foo[1]=5")
    talk.lose()
    talk.commit("foo[0]=7")
    talk.passes(1)
    talk.accept()
    refused = "failed CommitFailedError foo[0]=OFFSET_METADATA_TOO_LARGE"
    assert talk.refuse(TOO_LARGE) == [f"1 {refused}", f"2 {refused}"]


def test_what_follows_a_commit_goes_on_by_itself_where_that_was_not_the_reason() -> None:
    talk = member()
    talk.commit("foo[0]=5")
    talk.lose()
    talk.commit("foo[0]=7 foo[1]=7")
    talk.passes(0.1)
    reasons = "foo[0]=COORDINATOR_LOAD_IN_PROGRESS foo[1]=OFFSET_METADATA_TOO_LARGE"
    assert talk.refuse_each({"foo[0]": LOADING, "foo[1]": TOO_LARGE}) == [
        f"2 failed CommitFailedError {reasons}",
        "commit epoch=3 foo[0]=5",
    ]


def test_what_follows_a_commit_whose_time_is_over_goes_on_by_itself() -> None:
    talk = member()
    talk.commit("foo[0]=5")
    talk.lose()
    talk.commit("foo[0]=7", within_s=1)
    talk.passes(0.1)
    assert talk.passes(0.9) == []
    assert talk.lose() == [
        "2 timed out after 1 s: the connection was reset",
        "commit epoch=3 foo[0]=5",
    ]


def test_a_commit_that_others_follow_goes_on_without_whoever_asked_for_it() -> None:
    talk = member()
    talk.commit("foo[0]=5")
    talk.lose()
    talk.commit("foo[0]=7")
    talk.withdraw(2)
    assert talk.passes(1) == ["commit epoch=3 foo[0]=7"]
    assert talk.accept() == ["1 done"]


def test_a_commit_that_waits_for_another_can_time_out() -> None:
    talk = member()
    talk.commit("foo[0]=5")
    talk.commit("foo[0]=7", within_s=1)
    said = "2 timed out after 1 s: another commit for the same partitions is still in flight"
    assert talk.passes(1) == [said]
    assert talk.accept() == ["1 done"]


def test_who_takes_over_waits_for_the_epoch_as_well() -> None:
    talk = member()
    talk.commit("foo[0]=5")
    talk.refuse(ErrorCode.STALE_MEMBER_EPOCH)
    assert talk.commit("foo[0]=7") == []
    assert talk.publish(4) == ["commit epoch=4 foo[0]=7"]
    assert talk.accept() == ["1 done", "2 done"]


# One that can't wait, for its partition is given up, goes out behind the one that is under way.


def test_what_is_acknowledged_counts_for_what_an_earlier_request_still_carries() -> None:
    talk = hurried()
    assert talk.accept_latest() == ["1 done", "2 done"]
    assert talk.lose() == [], "the earlier one is not repeated, which would set the later one back"
    assert talk.passes(60) == []


def test_an_answer_that_comes_after_that_of_a_later_request_does_not_count() -> None:
    talk = hurried()
    talk.accept_latest()
    talk.accept()
    assert talk.commit_before_revoking("foo[0]=8") == ["commit epoch=3 foo[0]=9"], "not 5: 9 is what was committed"


def test_an_earlier_request_goes_on_with_what_the_later_one_did_not_have() -> None:
    talk = member(owns="foo[0-2]")
    talk.commit("foo[0]=5 foo[2]=5")
    talk.commit("foo[0]=9")
    assert talk.stops("foo[0]") == ["commit epoch=3 foo[0]=9"]
    assert talk.accept_latest() == ["2 done"]
    assert talk.lose() == []
    assert talk.passes(1) == ["commit epoch=3 foo[2]=5"]


def hurried() -> Conversation:
    """Two requests under way: of both partitions, one of which is given up."""
    talk = member()
    talk.commit("foo[0]=5 foo[1]=5")
    talk.commit("foo[0]=9 foo[1]=9")
    assert talk.stops("foo[1]") == ["commit epoch=3 foo[0]=9 foo[1]=9"]
    return talk


# Riders: what waits goes along with the latest.


def test_a_rider_ends_by_its_own_deadline() -> None:
    talk = member()
    talk.commit("foo[0]=5")
    talk.commit("foo[0]=6", within_s=1)
    talk.commit("foo[0]=7", within_s=2)
    talk.commit("foo[0]=8", within_s=3)
    assert talk.passes(1) == ["2 timed out after 1 s: another commit for the same partitions is still in flight"]
    assert talk.passes(1) == ["3 timed out after 2 s: another commit for the same partitions is still in flight"]
    assert talk.accept() == ["1 done", "commit epoch=3 foo[0]=8"]
    assert talk.accept() == ["4 done"]


def test_a_rider_that_nobody_waits_for_gets_off() -> None:
    talk = member()
    for offset in range(4):
        talk.commit(f"foo[0]={offset}")
    assert talk.withdraw(3) == []
    assert talk.accept() == ["1 done", "commit epoch=3 foo[0]=3"]
    assert talk.accept() == ["2 done", "4 done"]


def test_a_commit_that_nobody_waits_for_goes_on_for_its_riders() -> None:
    talk = member()
    for offset in range(3):
        talk.commit(f"foo[0]={offset}")
    talk.withdraw(3)
    assert talk.accept() == ["1 done", "commit epoch=3 foo[0]=2"]
    assert talk.accept() == ["2 done"]


def test_riders_are_refused_with_the_reasons_of_their_own_partitions() -> None:
    talk = member()
    talk.commit("foo[0]=5 foo[1]=5")
    talk.commit("foo[0]=6")
    talk.commit("foo[1]=6")
    talk.commit("foo[0]=7 foo[1]=7")
    talk.accept()
    reasons = "foo[0]=OFFSET_METADATA_TOO_LARGE"
    assert talk.refuse(TOO_LARGE, "foo[0]") == [
        f"2 failed CommitFailedError {reasons}",
        "3 done",
        f"4 failed CommitFailedError {reasons}",
    ]


def test_riders_lose_what_is_lost() -> None:
    talk = member()
    for offset in range(3):
        talk.commit(f"foo[0]={offset}")
    assert talk.publish(-1) == [f"{ask} failed CommitFailedError foo[0]=UNKNOWN_MEMBER_ID" for ask in (2, 3)]


def test_a_commit_that_has_less_time_takes_nobody_along() -> None:
    talk = member()
    talk.commit("foo[0]=5")
    talk.commit("foo[0]=6", within_s=10)
    talk.commit("foo[0]=7", within_s=1)
    assert talk.passes(1) == ["3 timed out after 1 s: another commit for the same partitions is still in flight"]
    assert talk.accept() == ["1 done", "commit epoch=3 foo[0]=6"]


def test_many_commits_that_wait_are_few_to_look_at() -> None:
    talk = member()
    for offset in range(1000):
        talk.commit(f"foo[{offset % 2}]={offset}")
    assert len(talk.machine.state.commits) <= 4
    assert talk.accept()[-1] == "commit epoch=3 foo[0]=998"
    assert len(talk.accept()) == 2
    assert talk.accept() == [f"{ask} done" for ask in range(3, 1000, 2)]


def test_what_happens_to_a_commit_concerns_only_those_of_the_same_partitions(monkeypatch: pytest.MonkeyPatch) -> None:
    """There may be thousands, one of each partition: looking at all of them for each event kept the I/O thread busy."""
    talk = member(owns="foo[0-99]")
    for number in range(100):
        talk.commit(f"foo[{number}]=1")
    seen: list[int] = []
    monkeypatch.setattr(ending, "in_order", lambda commits: seen.append(len(commits)) or tuple(commits))
    talk.commit("foo[7]=2")
    talk.accept()
    assert max(seen) <= 2
