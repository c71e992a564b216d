from __future__ import annotations

import pytest

from kafka_nextgen.codes import ErrorCode
from tests.membership.classic.conversation import Conversation, completing, leading, peer, stable
from tests.membership.classic.writing import partitions


def test_a_dynamic_member_joins_syncs_and_takes_over() -> None:
    talk = Conversation()
    assert talk.subscribe("orders") == ["join topics=orders reason='subscribed'"]
    assert talk.refuse_join(ErrorCode.MEMBER_ID_REQUIRED, "me") == ["join id=me topics=orders reason='subscribed'"]
    assert talk.join(1) == ["sync generation=1"]
    assert talk.sync("orders[0-1]") == [
        "publish epoch=1",
        "apply orders[0-1] added=orders[0-1]",
        "on_assigned orders[0-1]",
    ]
    assert talk.assigned() == []
    assert (talk.status, talk.member.owned) == ("stable", partitions("orders[0-1]"))


def test_a_static_member_says_so() -> None:
    talk = Conversation(instance_id="one")
    assert talk.subscribe("orders") == ["join instance=one topics=orders reason='subscribed'"]


def test_on_assigned_is_called_even_for_nothing() -> None:
    assert completing().sync("-") == ["publish epoch=1", "apply - added=-", "on_assigned -"]


def test_the_leader_assigns_everybody_from_fresh_metadata() -> None:
    talk = Conversation()
    talk.subscribe("orders")
    assert talk.join(1, peer("me", "orders"), peer("you", "orders audit"), leader="me") == ["ask for audit,orders"]
    assert talk.describe(orders=3, audit=1) == ["sync generation=1 me=orders[0-1] you=audit[0] orders[2]"]


def test_a_topic_that_does_not_exist_is_nobodys_and_everybody_has_an_entry() -> None:
    talk = Conversation()
    talk.subscribe("ghost")
    talk.join(1, peer("me", "ghost"), peer("you", "ghost"), leader="me")
    assert talk.describe() == ["sync generation=1 me=- you=-"]


def test_a_leader_of_members_without_topics_asks_for_nothing() -> None:
    talk = Conversation()
    talk.subscribe()
    assert talk.join(1, peer("me", ""), leader="me") == ["sync generation=1 me=-"]


def test_a_leader_without_metadata_asks_again_and_heartbeats_meanwhile() -> None:
    talk = Conversation()
    talk.subscribe("orders")
    talk.join(1, peer("me", "orders"), leader="me")
    assert talk.fail_to_describe() == []
    assert talk.wait(0.1) == ["ask for orders"]
    assert talk.wait(3) == ["heartbeat id=me generation=1"]
    assert talk.describe(orders=1) == ["sync generation=1 me=orders[0]"]


def test_heartbeats_rest_while_a_join_is_parked() -> None:
    talk = Conversation()
    talk.subscribe("orders")
    assert talk.wait(200) == []
    talk.join(1)
    assert talk.wait(3) == ["heartbeat id=me generation=1"]


def test_an_eager_member_gives_everything_up_before_it_joins_again() -> None:
    talk = stable("orders[0-1]", auto_commit=True)
    talk.wait(3)
    assert talk.refuse_heartbeat(ErrorCode.REBALANCE_IN_PROGRESS) == []
    assert talk.phase == "waiting_for_poll"
    assert talk.poll() == ["stop orders[0-1]", "commit by=303"]
    assert talk.committed() == ["on_revoked orders[0-1]"]
    assert talk.revoked() == [
        "apply - added=-",
        "join id=me topics=orders generation=1 reason='the group is rebalancing'",
    ]


def test_an_eager_member_that_owns_nothing_hears_of_the_rebalance_all_the_same() -> None:
    talk = stable("-")
    talk.wait(3)
    assert talk.refuse_heartbeat(ErrorCode.REBALANCE_IN_PROGRESS) == ["on_revoked -"]
    assert talk.revoked() == ["join id=me topics=orders generation=1 reason='the group is rebalancing'"]


def test_a_commit_that_fails_and_a_revocation_that_raises_hold_nothing_up() -> None:
    talk = stable("orders[0]", auto_commit=True)
    talk.enforce("wished for")
    talk.poll()
    assert talk.committed("the coordinator is gone") == ["on_revoked orders[0]"]
    assert talk.revoked("it raised")[-1].startswith("join id=me")


def failed(strategy: str = "range", assignment: str = "orders[0]", **settings: object) -> Conversation:
    """A member that was assigned its first partitions, and whose callback raised."""
    talk = completing(strategy, **settings)
    talk.sync(assignment)
    assert talk.assigned("it raised") == []
    assert (talk.status, talk.phase) == ("stable", "failed")
    assert talk.member.wants_poll
    return talk


def test_a_failing_on_assigned_is_called_again_by_each_poll_until_it_returns() -> None:
    talk = failed()
    assert talk.wait(3) == ["heartbeat id=me generation=1"]
    assert talk.poll() == ["on_assigned orders[0]"]
    assert talk.poll() == [], "it runs"
    talk.assigned("it raised")
    assert talk.poll() == ["on_assigned orders[0]"]
    talk.assigned()
    assert talk.member.owned == partitions("orders[0]")


def test_a_failing_on_assigned_holds_no_rebalance_up() -> None:
    talk = failed()
    assert talk.enforce("wished for") == []
    assert talk.poll() == ["stop orders[0]", "on_revoked orders[0]"]
    assert talk.revoked() == ["apply - added=-", "join id=me topics=orders generation=1 reason='wished for'"]


def test_a_cooperative_member_keeps_what_on_assigned_raised_at_and_hears_of_it_again() -> None:
    talk = failed("cooperative-sticky", "orders[0-1]")
    talk.enforce("wished for")
    assert talk.poll() == ["join id=me topics=orders owned=orders[0-1] generation=1 reason='wished for'"]
    talk.join(2)
    assert talk.sync("orders[1-2]") == ["publish epoch=2"]
    assert talk.poll() == ["stop orders[0]", "on_revoked orders[0]"]
    assert talk.revoked() == ["apply orders[1-2] added=orders[1-2]", "on_assigned orders[1-2]"]
    assert talk.assigned()[0].startswith("join id=me topics=orders owned=orders[1-2] generation=2")


def test_a_failing_on_assigned_of_an_application_that_stops_polling_is_lost() -> None:
    talk = failed(max_poll_interval_s=3.0)
    assert talk.wait(3)[:3] == ["stop orders[0]", "publish epoch=-1", "on_lost orders[0]"]


def test_what_on_assigned_raised_at_is_revoked_on_closing() -> None:
    assert failed().close() == ["stop orders[0]", "on_revoked orders[0]"]


def test_a_cooperative_member_reads_on_and_says_what_it_owns() -> None:
    talk = stable("orders[0-3]", "cooperative-sticky")
    assert talk.enforce("wished for") == ["join id=me topics=orders owned=orders[0-3] generation=1 reason='wished for'"]
    talk.join(2)
    assert talk.sync("orders[0-1]") == ["publish epoch=2"]
    assert talk.phase == "waiting_for_poll"
    assert talk.poll() == ["stop orders[2-3]", "on_revoked orders[2-3]"]
    assert talk.revoked() == ["apply orders[0-1] added=-", "on_assigned -"]
    assert talk.assigned() == ["join id=me topics=orders owned=orders[0-1] generation=2 reason='gave up orders[2-3]'"]


def test_a_cooperative_member_commits_before_it_gives_up() -> None:
    talk = stable("orders[0-1]", "cooperative-sticky", auto_commit=True)
    talk.enforce("wished for")
    assert talk.poll() == ["commit by=300"]
    assert talk.committed()[0].startswith("join")
    talk.join(2)
    talk.sync("orders[0]")
    assert talk.poll() == ["stop orders[1]", "commit by=300"]
    assert talk.committed() == ["on_revoked orders[1]"]


def test_a_cooperative_member_keeps_what_it_only_gets_more_of() -> None:
    talk = stable("orders[0]", "cooperative-sticky")
    talk.enforce("wished for")
    talk.join(2)
    assert talk.sync("orders[0-1]") == ["publish epoch=2", "apply orders[0-1] added=orders[1]", "on_assigned orders[1]"]
    assert talk.assigned() == []


def test_a_cooperative_member_gives_up_topics_it_does_not_want_before_it_joins() -> None:
    talk = Conversation("cooperative-sticky")
    talk.subscribe("orders", "audit")
    talk.join(1)
    talk.sync("orders[0] audit[0]")
    talk.assigned()
    assert talk.subscribe("orders") == []
    assert talk.poll() == ["stop audit[0]", "on_revoked audit[0]"]
    assert talk.revoked() == [
        "apply orders[0] added=-",
        "join id=me topics=orders owned=orders[0] generation=1 reason='the subscription changed'",
    ]


def test_the_generation_said_is_the_one_last_synced() -> None:
    talk = stable("orders[0]", "cooperative-sticky")
    talk.enforce("wished for")
    talk.join(2)
    assert talk.refuse_sync(ErrorCode.REBALANCE_IN_PROGRESS) == [
        "join id=me topics=orders owned=orders[0] generation=1 "
        "reason='SyncGroup was answered with REBALANCE_IN_PROGRESS'"
    ]


@pytest.mark.parametrize("when", ["preparing", "completing", "assigning"])
def test_a_subscription_that_changes_meanwhile_is_told_afterwards(when: str) -> None:
    talk = Conversation()
    talk.subscribe("orders")
    if when == "preparing":
        talk.subscribe("audit")
    talk.join(1)
    if when == "completing":
        talk.subscribe("audit")
    talk.sync("-")
    if when == "assigning":
        assert talk.subscribe("audit") == []
    assert talk.assigned() == ["on_revoked -"]
    assert talk.revoked() == ["join id=me topics=audit generation=1 reason='the subscription changed'"]


def test_the_same_subscription_again_is_no_news() -> None:
    assert stable().subscribe("orders") == []


def test_an_assignment_of_foreign_topics_is_ignored_as_a_whole() -> None:
    talk = completing()
    assert talk.sync("orders[0] audit[0]") == ["publish epoch=1", "on_revoked -"]
    assert talk.revoked() == [
        "join id=me topics=orders generation=1 reason='was assigned topics it has not subscribed to: audit'"
    ]


def test_a_rebalance_asked_for_waits_for_the_callback_that_runs() -> None:
    talk = completing()
    talk.sync("-")
    assert talk.enforce("wished for") == []
    assert talk.assigned() == ["on_revoked -"]


def test_a_rebalance_can_be_asked_for_between_join_and_sync_and_is_void_before() -> None:
    talk = Conversation()
    talk.subscribe("orders")
    assert talk.enforce("too early") == []
    talk.join(1)
    assert talk.enforce("in time") == []
    talk.sync("-")
    talk.assigned()
    assert talk.revoked() == ["join id=me topics=orders generation=1 reason='in time'"]


def test_a_reason_is_cut_where_the_coordinator_would() -> None:
    talk = stable("-", "cooperative-sticky")
    assert talk.enforce("x" * 300) == [f"join id=me topics=orders generation=1 reason='{'x' * 255}'"]


# Patterns.


def test_a_pattern_is_looked_up_before_each_join() -> None:
    talk = Conversation("cooperative-sticky")
    assert talk.subscribe(pattern="o.*") == ["ask for - pattern=o.*"]
    assert talk.describe("orders") == ["join topics=orders reason='subscribed'"]
    talk.join(1)
    talk.sync("orders[0]")
    talk.assigned()
    assert talk.enforce("wished for") == ["ask for - pattern=o.*"]
    assert talk.describe("orders audit") == [
        "join id=me topics=audit,orders owned=orders[0] generation=1 reason='wished for'"
    ]


def test_a_pattern_is_asked_for_again_when_nobody_answers() -> None:
    talk = Conversation()
    talk.subscribe(pattern="o.*")
    talk.fail_to_describe()
    assert talk.wait(0.1) == ["ask for - pattern=o.*"]


def test_a_question_for_an_old_pattern_is_void() -> None:
    talk = Conversation()
    talk.subscribe(pattern="o.*")
    assert talk.subscribe(pattern="a.*") == ["ask for - pattern=a.*"]
    assert talk.subscribe("audit") == ["join topics=audit reason='subscribed'"]


def test_a_pattern_that_changes_while_a_stable_member_asks_is_asked_for_anew() -> None:
    talk = Conversation("cooperative-sticky")
    talk.subscribe(pattern="o.*")
    talk.describe("orders")
    talk.join(1)
    talk.sync("-")
    talk.assigned()
    talk.enforce("wished for")
    assert talk.subscribe(pattern="a.*") == ["ask for - pattern=a.*"]


def test_topics_that_match_from_now_on_make_the_member_join_again() -> None:
    talk = Conversation("cooperative-sticky", metadata_max_age_s=2.0)
    talk.subscribe(pattern="o.*")
    talk.describe("orders")
    talk.join(1)
    talk.sync("-")
    talk.assigned()
    assert talk.wait(2) == ["ask for - pattern=o.*"]
    assert talk.describe("orders") == []
    talk.wait(2)
    assert talk.describe("orders oranges") == ["ask for - pattern=o.*"]
    assert talk.describe("orders oranges")[0].endswith("reason='topics have changed: oranges'")


# The leader watches.


@pytest.mark.parametrize(("sizes", "news"), [({"orders": 4}, False), ({"orders": 5}, True), ({}, True)])
def test_the_leader_joins_again_when_a_topic_changes(sizes: dict[str, int], news: bool) -> None:
    talk = leading(strategy="cooperative-sticky", metadata_max_age_s=2.0)
    assert talk.wait(2) == ["ask for orders"]
    said = talk.describe(**sizes)
    assert [effect.endswith("reason='topics have changed: orders'") for effect in said] == [True] * news


def test_a_leader_whose_look_failed_looks_again() -> None:
    talk = leading(metadata_max_age_s=2.0)
    talk.wait(2)
    talk.fail_to_describe()
    assert talk.wait(0.1) == ["ask for orders"]


def test_a_follower_watches_nothing() -> None:
    talk = stable(metadata_max_age_s=1.0)
    assert talk.wait(2.5) == []


def test_a_leader_that_is_to_skip_the_assignment_syncs_with_nothing_and_watches_at_once() -> None:
    talk = Conversation(instance_id="one", metadata_max_age_s=10.0)
    talk.subscribe("orders")
    assert talk.join(5, peer("me", "orders", instance_id="one"), leader="me", skip=True) == ["sync generation=5"]
    assert talk.sync("orders[0-3]")[:2] == ["publish epoch=5", "apply orders[0-3] added=orders[0-3]"]
    assert talk.assigned() == []
    assert talk.describe(orders=4) == []
    talk.wait(10)
    assert talk.describe(orders=5) == []
    assert talk.poll()[0] == "stop orders[0-3]"
