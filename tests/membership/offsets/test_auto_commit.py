"""Auto-commit: on an interval, and before partitions are given up."""

from __future__ import annotations

from kafka_nextgen.membership.offsets.effects import TimedOut
from tests.membership.offsets.conversation import Conversation, member


def reader() -> Conversation:
    return member(interval_s=5.0)


def test_a_member_that_is_idle_commits_again_on_each_interval() -> None:
    talk = member(interval_s=5.0, commits_again=True)
    for _ in range(3):
        talk.passes(5)
        assert talk.consumed("foo[0]=5 foo[1]=7") == ["commit epoch=3 foo[0]=5 foo[1]=7"]
        talk.accept()


def test_so_does_a_reader_that_assigned_partitions_to_itself() -> None:
    talk = Conversation(interval_s=5.0, commits_again=True)
    talk.owns("foo[0]")
    for _ in range(3):
        talk.passes(5)
        assert talk.consumed("foo[0]=5") == ["commit epoch=-1 foo[0]=5"]
        talk.accept()


def test_where_the_application_is_ahead_of_everything_nothing_is_committed_again() -> None:
    talk = member(interval_s=5.0, commits_again=True)
    talk.commit("foo[0]=9")
    talk.accept()
    talk.passes(5)
    assert talk.consumed("foo[0]=5") == []


def test_one_is_under_way_at_a_time() -> None:
    talk = reader()
    talk.passes(5)
    talk.consumed("foo[0]=5")
    assert talk.passes(5) == []
    assert talk.lose() == ["0 timed out after 5 s: the connection was reset"]
    assert talk.passes(5) == ["read consumed"]
    assert talk.consumed("foo[0]=5") == ["commit epoch=3 foo[0]=5"]


def test_the_commit_before_a_revocation_waits_for_one_under_way() -> None:
    talk = reader()
    talk.passes(5)
    talk.consumed("foo[0]=5")
    assert talk.commit_before_revoking("foo[0]=7") == []
    assert talk.lose() == ["commit epoch=3 foo[0]=7"]


def test_before_a_revocation_what_is_committed_already_gets_a_second_only() -> None:
    """Nobody may be there to answer, and a member that leaves would wait for that without need."""
    talk = reader()
    talk.passes(5)
    talk.consumed("foo[0]=5 foo[1]=7")
    talk.accept()
    talk.commit_before_revoking("foo[0]=5 foo[1]=7")
    assert talk.passes(1) == []
    (ended,) = talk.lose()
    assert ended.startswith("1 ")
    assert "1 s" in ended


def revocation_s(talk: Conversation, text: str, found: str) -> float:
    """For how many of 60 seconds the commit before a revocation is tried, if it is never answered."""
    talk.commit_before_revoking(text, found=found)
    talk.passes(60)
    while talk.commits:
        talk.lose()
    failure = talk.ended[max(talk.ended)].failure
    assert isinstance(failure, TimedOut)
    return failure.timeout_s


def test_before_a_revocation_what_was_found_and_not_read_gets_a_second_only() -> None:
    """The next owner finds the same: what the group has committed, or the beginning of the log."""
    talk = reader()
    assert revocation_s(talk, "foo[0]=5 foo[1]=0", found="foo[0]=5 foo[1]=0") == 1


def test_so_it_does_while_it_is_committed_on_the_interval() -> None:
    talk = reader()
    talk.passes(5)
    talk.consumed("foo[0]=5")
    assert revocation_s(talk, "foo[0]=5", found="foo[0]=5") == 1


def test_one_partition_that_was_read_gets_all_the_time_for_all() -> None:
    assert revocation_s(reader(), "foo[0]=6 foo[1]=0", found="foo[0]=5 foo[1]=0") == 60


def test_so_does_one_whose_position_was_not_found_but_chosen() -> None:
    assert revocation_s(reader(), "foo[0]=5", found="foo[1]=0") == 60


def test_so_does_one_that_was_committed_elsewhere_since_it_was_found() -> None:
    talk = reader()
    talk.commit("foo[0]=9")
    talk.accept()
    talk.passes(5)
    talk.consumed("foo[0]=9")
    assert revocation_s(talk, "foo[0]=5", found="foo[0]=5") == 60


def test_so_does_one_that_the_application_is_about_to_commit_ahead() -> None:
    talk = reader()
    talk.commit("foo[0]=9")
    talk.lose()
    assert revocation_s(talk, "foo[0]=5", found="foo[0]=5") == 60


def test_before_a_revocation_what_was_sought_back_from_is_committed_though_it_was_before() -> None:
    talk = reader()
    talk.commit("foo[0]=5")
    talk.accept()
    talk.commit("foo[0]=3")
    assert talk.commit_before_revoking("foo[0]=5") == []
    assert talk.accept() == ["2 done", "commit epoch=3 foo[0]=5"]


def test_what_is_read_while_partitions_are_given_up_comes_too_late() -> None:
    talk = reader()
    talk.passes(5)
    talk.commit_before_revoking("foo[0]=7")
    assert talk.consumed("foo[0]=5") == []


def test_auto_commit_does_not_take_back_what_the_application_committed_ahead() -> None:
    talk = reader()
    talk.commit("foo[0]=9")
    talk.accept()
    talk.passes(5)
    assert talk.consumed("foo[0]=5 foo[1]=1") == ["commit epoch=3 foo[1]=1"]
    talk.accept()
    talk.passes(5)
    assert talk.consumed("foo[0]=6 foo[1]=1") == []
    talk.passes(5)
    assert talk.consumed("foo[0]=10 foo[1]=1") == ["commit epoch=3 foo[0]=10 foo[1]=1"]


def test_nor_what_it_is_about_to_commit() -> None:
    talk = reader()
    talk.commit("foo[0]=9")
    talk.passes(5)
    assert talk.consumed("foo[0]=5") == []
    assert talk.accept() == ["1 done"]
    talk.passes(5)
    assert talk.consumed("foo[0]=9") == []


def test_before_a_revocation_what_the_application_wants_counts_where_it_is_ahead() -> None:
    talk = reader()
    talk.commit("foo[0]=9")
    talk.accept()
    talk.commit("foo[1]=9")
    talk.lose()
    assert talk.commit_before_revoking("foo[0]=5 foo[1]=5") == []
    assert talk.passes(0.1) == ["commit epoch=3 foo[0]=9 foo[1]=9"]
    assert talk.accept() == ["2 done", "3 done"]


def test_auto_commit_follows_an_application_that_sought_back() -> None:
    talk = reader()
    talk.passes(5)
    talk.consumed("foo[0]=9")
    talk.accept()
    talk.passes(5)
    assert talk.consumed("foo[0]=2") == ["commit epoch=3 foo[0]=2"]


def test_after_a_seek_back_too_it_takes_back_nothing_that_the_application_committed_ahead() -> None:
    talk = reader()
    talk.passes(5)
    talk.consumed("foo[0]=9")
    talk.accept()
    talk.seeks("foo[0]")
    talk.commit("foo[0]=4")
    talk.accept()
    talk.passes(5)
    assert talk.consumed("foo[0]=2") == []
    talk.passes(5)
    assert talk.consumed("foo[0]=6") == ["commit epoch=3 foo[0]=6"]


def test_what_was_asked_for_before_the_application_sought_back_is_not_ahead_of_it() -> None:
    talk = reader()
    talk.commit("foo[0]=9")
    talk.seeks("foo[0]")
    assert talk.accept() == ["1 done"]
    talk.passes(5)
    assert talk.consumed("foo[0]=2") == ["commit epoch=3 foo[0]=2"]


def test_before_a_revocation_a_position_that_was_sought_has_all_the_time_there_is() -> None:
    """Reading began there, but what was committed before the seek has to be set back."""
    talk = reader()
    talk.commit("foo[0]=9")
    talk.accept()
    talk.seeks("foo[0]")
    assert revocation_s(talk, "foo[0]=2", found="foo[0]=2") == 60


def test_a_position_that_was_sought_and_then_committed_is_like_any_other() -> None:
    talk = reader()
    talk.seeks("foo[0]")
    talk.commit("foo[0]=2")
    talk.accept()
    assert revocation_s(talk, "foo[0]=2", found="foo[0]=2") == 1


def test_a_seek_that_is_heard_of_after_the_partition_is_gone_does_not_bring_it_back() -> None:
    talk = reader()
    talk.publish(-1)
    talk.seeks("foo[0]")
    assert not talk.machine.state.owned
    assert not talk.machine.state.sought


def test_an_owner_that_comes_back_begins_anew() -> None:
    talk = reader()
    talk.commit("foo[1]=9")
    talk.accept()
    talk.owns("foo[0]")
    talk.owns("foo[0-1]")
    talk.passes(5)
    assert talk.consumed("foo[1]=4") == ["commit epoch=3 foo[1]=4"], "as it found it committed"


def test_nor_does_what_has_no_answer_by_then() -> None:
    talk = reader()
    talk.commit("foo[1]=35")
    talk.stops("foo[1]")
    talk.owns("foo[0]")
    talk.owns("foo[0-1]")
    assert talk.commit_before_revoking("foo[1]=2") == []
    assert talk.accept() == ["1 done", "commit epoch=3 foo[1]=2"]


def test_nor_what_was_committed_before_it_was_lost() -> None:
    talk = reader()
    talk.commit("foo[1]=35")
    talk.publish(-1)
    talk.publish(9)
    talk.owns("foo[1]")
    assert talk.accept() == ["1 done"]
    assert talk.commit_before_revoking("foo[1]=2") == ["commit epoch=9 foo[1]=2"]


def test_a_topic_that_was_made_again_begins_anew_under_its_name() -> None:
    talk = reader()
    talk.commit("foo[1]=35")
    talk.accept()
    talk.commit("foo[1]=36")
    talk.lose()
    assert talk.owns("foo[0-1]", added="foo[1]") == []
    assert talk.passes(0.1) == ["2 failed CommitFailedError foo[1]=REBALANCE_IN_PROGRESS"]
    assert talk.commit_before_revoking("foo[1]=2") == ["commit epoch=3 foo[1]=2"]


def test_one_that_is_read_by_a_stranger_does_so_too() -> None:
    talk = Conversation(interval_s=5.0)
    talk.owns("foo[1]")
    talk.commit("foo[1]=35")
    talk.lose()
    talk.owns("foo[1]", added="foo[1]")
    assert talk.passes(0.1) == ["1 failed CommitFailedError foo[1]=REBALANCE_IN_PROGRESS"]
