from __future__ import annotations

from kafka_nextgen.membership.effects import ApplyAssignment
from kafka_nextgen.membership.events import AssignFinished, TopicsResolved
from tests.membership.conversation import Conversation, joining, stable
from tests.membership.writing import IDS


def test_with_auto_commit_new_partitions_wait_for_a_poll_too() -> None:
    talk = stable("orders[0]", auto_commit=True)
    talk.wait(5)
    assert talk.answer(6, "orders[0-1]") == ["publish epoch=6"]
    assert talk.poll() == ["commit by=305"]
    assert talk.committed() == ["apply orders[0-1] added=orders[1]", "on_assigned orders[1]"]


def test_a_full_heartbeat_does_not_report_what_on_revoked_has_finished_with() -> None:
    talk = stable("orders[0-1]")
    talk.wait(5)
    talk.answer(5, "orders[0]")
    talk.poll()
    talk.revoked()
    talk.wait(5)
    talk.lose_heartbeat()
    assert talk.wait(0.1)[0].endswith("owned=orders[0]")


def test_a_full_heartbeat_names_a_target_that_waits_for_the_reconciliation_under_way() -> None:
    """The member may begin with it before the heartbeat is answered, and what is left out may be another member's."""
    talk = stable("orders[0]")
    talk.wait(5)
    talk.answer(6, "orders[0-1]")
    talk.wait(5)
    talk.answer(7, "orders[0-2]")
    talk.wait(5)
    talk.lose_heartbeat()
    assert talk.wait(0.1)[0].endswith("owned=orders[0-2]"), "on_assigned of orders[1] still runs"


def test_a_newer_target_waits_for_the_one_under_way_and_only_the_latest_counts() -> None:
    talk = stable("orders[0]")
    talk.wait(5)
    talk.answer(6, "orders[0-1]")
    talk.wait(5)
    assert talk.answer(7, "orders[0-2]") == ["publish epoch=7"]
    talk.wait(5)
    talk.answer(8, "orders[0-3]")
    assert talk.assigned() == ["heartbeat epoch=8 full timeout=300000 topics=audit,orders owned=orders[0-3]"]
    assert talk.answer(8) == ["apply orders[0-3] added=orders[2-3]", "on_assigned orders[2-3]"]
    assert talk.status == "reconciling"


def test_a_target_that_was_taken_back_before_anything_began_is_acknowledged_all_the_same() -> None:
    talk = stable("orders[0-1]")
    talk.wait(5)
    talk.answer(5, "orders[0]")
    talk.wait(5)
    assert talk.answer(6, "orders[0-1]") == ["publish epoch=6", "apply orders[0-1] added=-", "on_assigned -"]
    assert talk.assigned() == ["heartbeat epoch=6 owned=orders[0-1]"]


def test_topics_without_names_are_waited_for_and_asked_for_again() -> None:
    talk = joining()
    assert talk.answer(5, "ghost[0]") == ["publish epoch=5", "resolve ghost"]
    assert talk.phase == "resolving"
    assert talk.resolve("orders") == []
    assert talk.wait(1.0) == ["resolve ghost"]
    assert talk.resolve("ghost") == ["apply ghost[0] added=ghost[0]", "on_assigned ghost[0]"]


def failed(assignment: str = "orders[0]", **settings: object) -> Conversation:
    """A member that was assigned its first partitions, and whose callback raised."""
    talk = joining(**settings)
    talk.answer(5, assignment)
    talk.resolve("orders")
    assert talk.assigned("it raised") == []
    assert (talk.status, talk.phase) == ("reconciling", "failed")
    assert talk.member.wants_poll
    return talk


def test_what_on_assigned_raised_at_is_reported_until_it_is_given_up() -> None:
    talk = failed("orders[0-1]")
    talk.wait(5)
    talk.lose_heartbeat()
    assert talk.wait(1)[0].endswith("owned=orders[0-1]")
    talk.answer(5, "orders[0]")
    assert talk.poll() == ["stop orders[1]", "on_revoked orders[1]"]
    talk.wait(5)
    talk.lose_heartbeat()
    assert talk.wait(1)[0].endswith("owned=orders[0-1]"), "the callback has not returned"
    assert talk.revoked() == ["apply orders[0] added=orders[0]", "on_assigned orders[0]"]


def test_a_target_that_takes_everything_back_is_told_after_a_failing_on_assigned() -> None:
    talk = failed()
    talk.wait(5)
    talk.answer(6, "-")
    assert talk.poll() == ["stop orders[0]", "on_revoked orders[0]"]
    assert talk.revoked() == ["apply - added=-", "on_assigned -"]


def test_names_that_arrive_after_a_failing_on_assigned_are_not_waited_for_once_more() -> None:
    talk = joining()
    talk.answer(5, "orders[0] audit[0]")
    talk.resolve("orders")
    talk.assigned("it raised")
    talk.resolve("audit")
    assert talk.poll() == ["apply audit[0] orders[0] added=audit[0] orders[0]", "on_assigned audit[0] orders[0]"]


def test_a_failing_on_assigned_of_nothing_waits_for_names_before_it_is_called_again() -> None:
    talk = failed("-")
    talk.wait(5)
    talk.answer(6, "audit[0]")
    assert talk.poll() == ["resolve audit"]
    assert talk.phase == "resolving"
    assert talk.resolve("audit") == ["apply audit[0] added=audit[0]", "on_assigned audit[0]"]


def test_a_completion_of_something_else_means_nothing() -> None:
    talk = joining()
    talk.answer(5, "orders[0]")
    talk.resolve("orders")
    assert talk.says(AssignFinished(999, None)) == []
    assert talk.phase == "assigning"


def test_a_topic_that_came_back_under_another_id_is_given_up_and_taken_although_its_name_is_the_same() -> None:
    talk, made_again = stable("orders[0-1]"), "ghost"
    talk.wait(5)
    talk.answer(6, f"{made_again}[0-1]")
    talk.says(TopicsResolved({IDS[made_again]: "orders"}))
    assert talk.poll() == ["stop orders[0-1]", "on_revoked orders[0-1]"]
    assert talk.revoked() == ["apply orders[0-1] added=orders[0-1]", "on_assigned orders[0-1]"]
    assert [effect.topic_ids for effect in talk.effects if isinstance(effect, ApplyAssignment)] == [
        (("orders", IDS[made_again]),)
    ]
    assert talk.assigned() == [f"heartbeat epoch=6 owned={made_again}[0-1]"]
