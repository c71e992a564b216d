"""What is in a member's requests and effects, beyond what scenarios tell (``tests/scenarios/classic``)."""

from __future__ import annotations

import pytest

from kafka_nextgen.assignors.cooperative_sticky import generation_metadata
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.consumer_protocol import MemberSubscription
from kafka_nextgen.membership.classic.effects import Offer, SendJoinGroup, SendLeaveGroup, SendSyncGroup
from kafka_nextgen.membership.classic.events import JoinRefused, TopicsDescribed
from kafka_nextgen.membership.classic.member import ClassicMember
from kafka_nextgen.membership.classic.settings import ClassicSettings
from kafka_nextgen.membership.effects import CommitConsumed, RaiseToApplication
from kafka_nextgen.membership.events import Subscribed
from kafka_nextgen.membership.timers import Timer
from kafka_nextgen.types import JoinReason, TopicPartition
from tests.verification.scenario_language import parse, scripted_player
from tests.verification.scenario_language.scripted.client import Kind, ScriptedClient

OWNED = frozenset({TopicPartition("foo", 0)})


def played(*commands: str) -> ScriptedClient:
    """Play commands that are about A, and return it."""
    scenario = parse("\n".join(["worlds scripted", *commands]))
    player = scripted_player(scenario)
    player.play(scenario)
    return player.world.clients["A"]


def test_a_join_offers_every_assignor_with_what_it_has_to_know() -> None:
    client = played(
        "member A protocol=classic assignors=cooperative-sticky instance=one rack=r session=10s timeout=60s "
        "topics=foo generation=3 has=foo[0]",
        "enforce A reason=wished for",
    )
    assert client.requests[Kind.JOIN] == SendJoinGroup(
        number=client.requests[Kind.JOIN].number,
        member_id="A",
        instance_id="one",
        session_timeout_ms=10_000,
        rebalance_timeout_ms=60_000,
        offers=(Offer("cooperative-sticky", generation_metadata(3).payload),),
        subscription=MemberSubscription(frozenset({"foo"}), OWNED, 3, "r"),
        reason="wished for",
        timeout_s=65.0,
    )


def test_one_eager_assignor_makes_the_member_eager() -> None:
    client = played(
        "member A protocol=classic assignors=range cooperative-sticky topics=foo generation=1 has=foo[0]",
        "enforce A reason=wished for",
        "settle",
    )
    join = client.last_join
    assert join is not None
    assert [offer.strategy for offer in join.offers] == ["range", "cooperative-sticky"]
    assert join.subscription.owned == frozenset()


def test_a_short_rebalance_timeout_shortens_no_request() -> None:
    client = played("member A protocol=classic timeout=1s", "subscribe A foo")
    assert client.last_join is not None
    assert client.last_join.timeout_s == 30.0


def test_a_reason_is_cut_where_the_coordinator_would() -> None:
    client = played(
        "member A protocol=classic topics=foo generation=1 has=-", f"enforce A reason={'x' * 300}", "settle"
    )
    assert client.last_join is not None
    assert client.last_join.reason == "x" * 255


@pytest.mark.parametrize(
    ("leads", "stated"), [("leader", JoinReason.TOPIC_METADATA_CHANGE), ("leader=B", JoinReason.UNKNOWN)]
)
def test_a_leader_alone_states_that_topics_changed(leads: str, stated: JoinReason) -> None:
    client = played(
        "topic foo-1 2",
        "member A protocol=classic metadata_max_age=10s",
        "subscribe A pattern=foo-.*",
        "settle",
        f"answer A join {leads} generation=1",
        "settle",
        "answer A sync assignment=foo-1[0]",
        "settle",
        "topic foo-2 1",
        "tick 10s",
    )
    assert client.last_join is not None
    assert (client.last_join.reason, client.last_join.join_reason) == ("topics have changed: foo-2", stated)


def test_a_sync_says_who_asks_for_which_protocol() -> None:
    client = played("member A protocol=classic instance=one", "subscribe A foo", "answer A join generation=7")
    assert client.requests[Kind.SYNC] == SendSyncGroup(
        client.requests[Kind.SYNC].number, "A", "one", generation=7, strategy="range", timeout_s=30.0
    )


def test_a_leader_that_hears_of_the_topics_twice_assigns_once() -> None:
    client = played(
        "member A protocol=classic", "slow A topics", "subscribe A foo", "answer A join leader generation=1"
    )
    assert client.question is not None
    described = TopicsDescribed(client.question.number, {})
    assert [type(effect) for effect in client.member.handle(described, 0.0, 0.5)] == [SendSyncGroup]
    assert client.member.handle(described, 0.0, 0.5) == ()


def test_a_call_to_close_counts_as_a_poll() -> None:
    member = "member A protocol=classic commit=auto max_poll_interval=20s topics=foo generation=1 has=foo[0]"
    client = played(member, "slow A commit", "tick 15s", "close A", "settle")
    assert client.commit is not None
    assert client.member.state.deadlines[Timer.POLL] == 35.0


def test_a_leave_names_the_instance_too() -> None:
    client = played(
        "member A protocol=classic instance=one topics=foo generation=1 has=-", "close A leave=leave", "settle"
    )
    leave = client.requests[Kind.LEAVE]
    assert isinstance(leave, SendLeaveGroup)
    assert (leave.member_id, leave.instance_id) == ("A", "one")


@pytest.mark.parametrize(
    ("command", "seconds"), [("enforce A reason=wished for", 60.0), ("close A", 5.0)], ids=["rebalance", "close"]
)
def test_a_commit_has_as_long_as_what_it_is_for(command: str, seconds: float) -> None:
    client = played(
        "member A protocol=classic commit=auto timeout=60s leave_timeout=5s topics=foo generation=1 has=foo[0]",
        "slow A commit",
        command,
        "settle",
    )
    assert client.commit == CommitConsumed(client.member.state.waits_for or 0, deadline=seconds)


def test_a_refusal_that_says_more_than_its_code_is_passed_on() -> None:
    member = ClassicMember(ClassicSettings("billing"))
    (join,) = member.handle(Subscribed(frozenset({"foo"})), 0.0, 0.5)
    assert isinstance(join, SendJoinGroup)
    refusal = JoinRefused(join.number, ErrorCode.UNSUPPORTED_VERSION, message="no static members")
    (effect,) = member.handle(refusal, 0.0, 0.5)
    assert effect == RaiseToApplication(ErrorCode.UNSUPPORTED_VERSION, "no static members", fatal=True)
