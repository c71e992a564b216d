"""Four commits wait for an answer at a time; the others wait for a place, and their requests' time does not run yet."""

from __future__ import annotations

from tests.membership.offsets.conversation import Conversation, member

CROWDED = "earlier commits are still in flight"


def crowded() -> Conversation:
    """A member that has committed foo[0] to foo[3], each by itself, without an answer so far."""
    talk = member()
    talk.owns("foo[0-9]")
    for number in range(4):
        assert talk.commit(f"foo[{number}]=5") == [f"commit epoch=3 foo[{number}]=5"]
    return talk


def test_the_fifth_commit_is_sent_when_there_is_an_answer_and_its_time_runs_from_then() -> None:
    talk = crowded()
    assert talk.commit("foo[4]=5") == []
    talk.passes(20)
    assert talk.accept() == ["1 done", "commit epoch=3 foo[4]=5"]
    assert talk.commits[-1].deadline == talk.now + talk.machine.settings.request_timeout_s


def test_a_request_that_is_lost_leaves_its_place_to_the_next_one() -> None:
    talk = crowded()
    talk.commit("foo[4]=5")
    assert talk.lose() == ["commit epoch=3 foo[4]=5"]
    assert talk.passes(1) == [], "the repetition needs a place, too"
    assert talk.accept() == ["2 done", "commit epoch=3 foo[0]=5"]


def test_those_that_have_waited_longest_go_first() -> None:
    talk = crowded()
    talk.passes(1)
    talk.commit("foo[4]=5")
    talk.commit("foo[5]=5")
    talk.passes(1)
    talk.commit("foo[0]=6")
    talk.commit("foo[4]=6")
    assert talk.accept() == ["1 done", "commit epoch=3 foo[5]=5"]
    assert talk.accept() == ["2 done", "commit epoch=3 foo[4]=6"], "it took over from the commit that waited before it"
    assert talk.accept() == ["3 done", "commit epoch=3 foo[0]=6"]


def test_commits_before_partitions_are_given_up_need_no_place() -> None:
    talk = crowded()
    assert talk.commit("foo[4]=5") == talk.commit("foo[5]=5") == []
    assert talk.stops("foo[4]") == ["commit epoch=3 foo[4]=5"]
    assert talk.commit("foo[4]=6 foo[6]=5") == [], "another request carries foo[4]"
    assert talk.commit("foo[7]=5") == [], "foo[7] is kept"
    assert talk.accept() == ["1 done"], "four are still without an answer"


def test_the_last_commit_of_auto_commit_needs_no_place() -> None:
    talk = crowded()
    assert talk.commit_before_revoking("foo[7]=5") == ["commit epoch=3 foo[7]=5"]


def test_a_commit_that_waits_for_a_place_can_time_out() -> None:
    talk = crowded()
    talk.commit("foo[4]=5", within_s=1)
    assert talk.passes(1) == [f"5 timed out after 1 s: {CROWDED}"]
    assert talk.accept() == ["1 done"]


def test_a_rider_can_time_out_while_its_commit_waits_for_a_place() -> None:
    talk = crowded()
    talk.commit("foo[4]=5", within_s=1)
    talk.commit("foo[4]=6")
    assert talk.passes(1) == [f"5 timed out after 1 s: {CROWDED}"]
    assert talk.accept() == ["1 done", "commit epoch=3 foo[4]=6"]


def test_a_commit_that_is_withdrawn_leaves_its_place_in_the_queue() -> None:
    talk = crowded()
    talk.commit("foo[4]=5")
    talk.commit("foo[5]=5")
    talk.withdraw(5)
    assert talk.accept() == ["1 done", "commit epoch=3 foo[5]=5"]
