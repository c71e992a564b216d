"""The rarer arrows of the table: things that happen while something else is under way."""

from __future__ import annotations

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.types import LeaveMode
from tests.membership.classic.conversation import Conversation, completing, stable

OUT = ["apply - added=-", "publish epoch=-1"]
LEAVE = "leave id=me reason='the consumer is being closed'"
SUBSCRIBED = "join topics=audit reason='subscribed'"
STICKY = "cooperative-sticky"
UNKNOWN, ILLEGAL = ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.ILLEGAL_GENERATION
FENCED = ErrorCode.FENCED_INSTANCE_ID


def assigning(**settings: object) -> Conversation:
    """A member whose on_assigned runs, for nothing."""
    talk = completing(**settings)
    talk.sync("-")
    return talk


def revoking(strategy: str = "range", **settings: object) -> Conversation:
    """A member whose on_revoked runs."""
    talk = stable("orders[0]", strategy, **settings)
    talk.enforce("wished for")
    talk.poll()
    return talk


def losing(**settings: object) -> Conversation:
    """A member whose on_lost runs."""
    talk = stable("orders[0]", **settings)
    talk.wait(3)
    talk.refuse_heartbeat(UNKNOWN)
    return talk


def resubscribe(talk: Conversation, *, pattern: bool) -> list[str]:
    """Unsubscribe and subscribe again; what follows when the member is out."""
    talk.unsubscribe()
    talk.subscribe(pattern="a.*") if pattern else talk.subscribe("audit")
    return ["left", "ask for - pattern=a.*"] if pattern else ["left", SUBSCRIBED]


# Foreign topics, and heartbeats that arrive while others wait.


def test_a_cooperative_member_that_owns_nothing_joins_again_at_once_after_a_foreign_assignment() -> None:
    assert completing(STICKY).sync("audit[0]") == [
        "publish epoch=1",
        "join id=me topics=orders generation=1 reason='was assigned topics it has not subscribed to: audit'",
    ]


def test_whoever_is_fenced_while_syncing_is_out_for_good() -> None:
    talk = completing(instance_id="one")
    talk.wait(3)
    assert talk.refuse_heartbeat(FENCED) == ["raise FENCED_INSTANCE_ID fatal"]


def test_a_heartbeat_that_is_lost_while_syncing_is_repeated() -> None:
    talk = completing()
    talk.wait(3)
    assert talk.lose_heartbeat() == ["find coordinator"]
    assert talk.wait(0.1) == ["heartbeat id=me generation=1"]


def test_what_was_kept_is_lost_if_a_heartbeat_says_so_while_syncing() -> None:
    talk = stable("orders[0]", STICKY)
    talk.enforce("wished for")
    talk.join(2)
    talk.wait(3)
    assert talk.refuse_heartbeat(ILLEGAL) == ["stop orders[0]", "publish epoch=-1", "on_lost orders[0]"]


# Closing and unsubscribing between the generations.


@pytest.mark.parametrize("unsubscribes", [False, True])
@pytest.mark.parametrize("joined", [False, True])
def test_what_is_held_between_generations_is_lost(joined: bool, unsubscribes: bool) -> None:
    talk = stable("orders[0]", STICKY)
    talk.enforce("wished for")
    if joined:
        talk.join(2)
    said = talk.unsubscribe() if unsubscribes else talk.close()
    assert said == ["stop orders[0]", "publish epoch=-1", "on_lost orders[0]"]
    assert talk.lost()[1].startswith("leave id=me")


@pytest.mark.parametrize("unsubscribes", [False, True])
@pytest.mark.parametrize("joined", [False, True])
def test_a_static_member_that_gives_up_between_generations_says_nothing(joined: bool, unsubscribes: bool) -> None:
    talk = Conversation(instance_id="one")
    talk.subscribe("orders")
    if joined:
        talk.join(1)
    assert (talk.unsubscribe() if unsubscribes else talk.close()) == ["left"]


@pytest.mark.parametrize("unsubscribes", [False, True])
def test_a_member_that_joins_again_with_its_id_leaves_by_it(unsubscribes: bool) -> None:
    talk = stable("-", STICKY)
    talk.enforce("wished for")
    said = talk.unsubscribe() if unsubscribes else talk.close()
    assert [effect.split()[0] for effect in said] == ["publish", "leave"]


@pytest.mark.parametrize("unsubscribes", [False, True])
@pytest.mark.parametrize(("code", "leaves"), [(ILLEGAL, True), (UNKNOWN, False)])
def test_a_member_that_waits_to_join_again_leaves_if_it_has_an_id(
    code: ErrorCode, leaves: bool, unsubscribes: bool
) -> None:
    talk = completing()
    for _ in range(2):  # the second refusal in a row is followed by a pause
        talk.refuse_sync(code)
        if talk.status == "preparing":
            talk.join(2)
    assert talk.status == "unjoined"
    said = talk.unsubscribe() if unsubscribes else talk.close()
    assert [effect.split()[0] for effect in said] == ["leave" if leaves else "left"]


def test_an_application_that_polls_when_a_join_is_due_has_it_sent() -> None:
    talk = Conversation()
    talk.subscribe("orders")
    talk.lose_join()
    talk.now += 0.1
    assert talk.poll() == ["join topics=orders reason='subscribed'"]


def test_whoever_unsubscribes_while_a_loss_is_being_heard_of_is_out_after_that() -> None:
    talk = losing()
    assert talk.unsubscribe() == []
    assert talk.lost() == ["apply - added=-", "left"]


# Callbacks that outlast what they were called for.


@pytest.mark.parametrize("pattern", [False, True])
@pytest.mark.parametrize("callback", ["assigned", "revoked", "lost"])
def test_a_subscription_made_while_a_callback_runs_joins_after_it(callback: str, pattern: bool) -> None:
    talk = {"assigned": assigning, "revoked": revoking, "lost": losing}[callback](instance_id="one")
    then = [effect.replace("join", "join instance=one") for effect in resubscribe(talk, pattern=pattern)]
    assert getattr(talk, callback)()[-2:] == then


@pytest.mark.parametrize("instance_id", [None, "one"])
def test_a_member_that_owns_nothing_leaves_when_on_assigned_has_returned(instance_id: str | None) -> None:
    talk = assigning(instance_id=instance_id)
    assert talk.close() == []
    assert talk.assigned() == [*OUT, LEAVE if instance_id is None else "left"]


def test_a_member_that_owns_nothing_leaves_at_once() -> None:
    assert stable("-").unsubscribe()[-1] == "leave id=me reason='the consumer unsubscribed'"
    assert stable("-", instance_id="one").unsubscribe() == ["publish epoch=-1", "left"]


def test_closing_while_some_partitions_are_being_revoked_revokes_the_rest_after_that() -> None:
    talk = stable("orders[0-1]", STICKY)
    talk.enforce("wished for")
    talk.join(2)
    talk.sync("orders[0]")
    talk.poll()
    assert talk.close() == ["stop orders[0-1]"]
    assert talk.revoked() == ["on_revoked orders[0]"]
    assert talk.revoked() == [*OUT, LEAVE]


@pytest.mark.parametrize("callback", ["assigned", "revoked"])
def test_a_stale_member_returns_when_a_callback_has(callback: str) -> None:
    talk = {"assigned": assigning, "revoked": revoking}[callback](max_poll_interval_s=10.0)
    talk.wait(10)
    assert talk.poll() == []
    assert getattr(talk, callback)() == ["apply - added=-"]
    assert talk.close() == ["left"]


@pytest.mark.parametrize("pattern", [None, False, True])
@pytest.mark.parametrize("callback", ["assigned", "revoked", "lost"])
def test_a_stale_member_that_unsubscribes_is_out_when_a_callback_has_returned(
    callback: str, pattern: bool | None
) -> None:
    talk = {"assigned": assigning, "revoked": revoking, "lost": lambda **more: stable("orders[0]", **more)}[callback](
        max_poll_interval_s=10.0
    )
    talk.wait(10)
    then = ["left"]
    if pattern is None:
        talk.unsubscribe()
    else:
        then = resubscribe(talk, pattern=pattern)
    assert getattr(talk, callback)() == ["apply - added=-", *then]


@pytest.mark.parametrize("callback", ["assigned", "revoked"])
def test_a_member_thrown_out_during_a_callback_looks_its_pattern_up_when_that_has_returned(callback: str) -> None:
    talk = Conversation()
    talk.subscribe(pattern="o.*")
    talk.describe("orders")
    talk.join(1)
    talk.sync("-")
    if callback == "revoked":
        talk.assigned()
        talk.enforce("wished for")
        talk.describe("orders")
    talk.subscribe(pattern="a.*")
    talk.wait(3)
    talk.refuse_heartbeat(UNKNOWN)
    assert getattr(talk, callback)() == ["apply - added=-", "ask for - pattern=a.*"]


@pytest.mark.parametrize("callback", ["assigned", "revoked"])
def test_a_member_that_is_out_for_good_may_still_hear_a_callback_end(callback: str) -> None:
    talk = {"assigned": assigning, "revoked": revoking}[callback](instance_id="one")
    talk.wait(3)
    talk.refuse_heartbeat(FENCED)
    assert talk.status == "fatal"
    assert getattr(talk, callback)() == ["apply - added=-"]
    assert talk.unsubscribe() == ["left"]


# What becomes of a rebalance when the subscription changes.


def test_a_cooperative_member_that_owns_nothing_tells_of_its_subscription_at_once() -> None:
    talk = stable("-", STICKY)
    assert talk.subscribe("audit") == ["join id=me topics=audit generation=1 reason='the subscription changed'"]


def test_what_was_to_be_given_up_may_be_wanted_again_before_the_next_poll() -> None:
    talk = stable("orders[0]", STICKY)
    talk.subscribe("audit")
    talk.subscribe("orders")
    assert talk.poll() == ["join id=me topics=orders owned=orders[0] generation=1 reason='the subscription changed'"]


@pytest.mark.parametrize("auto_commit", [True, False])
def test_a_pattern_that_comes_while_the_member_prepares_is_looked_up_before_it_joins(auto_commit: bool) -> None:
    talk = stable("orders[0]", STICKY if auto_commit else "range", auto_commit=auto_commit)
    talk.enforce("wished for")
    talk.poll()
    assert talk.subscribe(pattern="a.*") == []
    assert (talk.committed() if auto_commit else talk.revoked())[-1] == "ask for - pattern=a.*"
    assert talk.describe("audit")[0].startswith("join id=me topics=audit")


# Leaving, when nobody answers.


@pytest.mark.parametrize("pattern", [False, True])
@pytest.mark.parametrize("answered", [False, True])
def test_a_subscription_made_while_leaving_joins_when_the_leave_is_answered_or_given_up(
    answered: bool, pattern: bool
) -> None:
    talk = stable("-", leave_timeout_s=5.0)
    then = resubscribe(talk, pattern=pattern)
    assert (talk.end_leave() if answered else talk.wait(5)) == then


def test_a_timer_that_fires_early_changes_nothing() -> None:
    leaving, joining = stable("-"), Conversation()
    leaving.close(LeaveMode.LEAVE)
    joining.subscribe("orders")
    assert (leaving.wake(), joining.wake()) == ([], [])
    assert (leaving.status, joining.status) == ("leaving", "preparing")


# Polling while the group is between generations.


@pytest.mark.parametrize("status", ["unjoined", "preparing", "completing"])
def test_a_poll_between_generations_counts_and_its_absence_too(status: str) -> None:
    talk = Conversation(max_poll_interval_s=10.0, heartbeat_interval_ms=60_000)
    talk.subscribe(pattern="o.*")
    if status != "unjoined":
        talk.describe("orders")
    if status == "completing":
        talk.join(1)
    talk.wait(9)
    assert talk.poll() == []
    talk.wait(9)
    assert talk.status == status
    talk.wait(1)
    assert talk.status == "stale"
    assert talk.poll() == ["ask for - pattern=o.*"]


def test_a_heartbeat_is_answered_while_the_member_syncs() -> None:
    talk = completing()
    talk.wait(3)
    assert talk.keep_session() == []
    assert talk.wait(3) == ["heartbeat id=me generation=1"]


def test_a_member_that_unsubscribes_while_it_syncs_leaves() -> None:
    assert completing().unsubscribe() == ["leave id=me reason='the consumer unsubscribed'"]


def test_a_static_member_that_closes_is_out_when_it_has_revoked() -> None:
    talk = stable("orders[0]", instance_id="one")
    talk.close()
    assert talk.revoked() == [*OUT, "left"]


def test_a_cooperative_member_that_owns_nothing_joins_as_soon_as_it_hears_of_a_rebalance() -> None:
    talk = stable("-", STICKY)
    talk.wait(3)
    assert talk.refuse_heartbeat(ErrorCode.REBALANCE_IN_PROGRESS) == [
        "join id=me topics=orders generation=1 reason='the group is rebalancing'"
    ]


def test_a_stale_member_that_has_nothing_to_lose_is_out_at_once() -> None:
    talk = stable("-", max_poll_interval_s=10.0)
    talk.wait(10)
    assert talk.unsubscribe() == ["left"]


def test_a_member_that_lost_everything_looks_its_pattern_up_before_it_joins_again() -> None:
    talk = Conversation()
    talk.subscribe(pattern="o.*")
    talk.describe("orders")
    talk.join(1)
    talk.sync("orders[0]")
    talk.assigned()
    talk.wait(3)
    talk.refuse_heartbeat(UNKNOWN)
    assert talk.lost() == ["apply - added=-", "ask for - pattern=o.*"]
