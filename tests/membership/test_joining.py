from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from tests.membership.conversation import Conversation, joining, stable

JOIN = "heartbeat epoch=0 full timeout=300000 topics=audit,orders owned=-"


def test_a_member_joins_when_the_application_subscribes_and_says_everything() -> None:
    talk = Conversation(rack_id="r1", instance_id="i1", server_assignor="range", rebalance_timeout_ms=9000)
    assert talk.subscribe("orders") == [
        "heartbeat epoch=0 full rack=r1 instance=i1 timeout=9000 topics=orders pattern= assignor=range owned=-"
    ]
    assert talk.status == "joining"


def test_a_pattern_goes_with_an_empty_list_of_topics() -> None:
    assert Conversation().subscribe(pattern="ord.*") == [
        "heartbeat epoch=0 full timeout=300000 topics= pattern=ord.* owned=-"
    ]


def test_the_whole_way_from_subscribing_to_stable() -> None:
    talk = joining(auto_commit=True)
    assert talk.answer(5, "orders[0-1]") == ["publish epoch=5", "resolve orders"]
    assert talk.resolve("orders") == []
    assert talk.member.wants_poll
    assert talk.poll() == ["apply orders[0-1] added=orders[0-1]", "on_assigned orders[0-1]"]
    assert talk.status == "reconciling"
    assert talk.assigned() == ["heartbeat epoch=5 owned=orders[0-1]"]
    assert talk.status == "acknowledging"
    assert talk.answer(5) == []
    assert talk.status == "stable"


def test_without_anything_to_commit_or_revoke_an_assignment_needs_no_poll() -> None:
    talk = joining(auto_commit=False)
    talk.answer(5, "orders[0]")
    assert talk.resolve("orders") == ["apply orders[0] added=orders[0]", "on_assigned orders[0]"]


def test_an_empty_first_assignment_is_reconciled_and_acknowledged_as_well() -> None:
    talk = joining()
    assert talk.answer(1, "-") == ["publish epoch=1", "apply - added=-", "on_assigned -"]
    assert talk.assigned() == ["heartbeat epoch=1 full timeout=300000 topics=audit,orders owned=-"]
    assert talk.answer(1, "-") == []
    assert talk.status == "stable"


def test_epoch_0_is_no_admission_and_is_asked_again_after_the_interval() -> None:
    # Before Kafka 4.3 the first member with a pattern hears epoch 0 until the pattern is resolved.
    talk = joining()
    assert talk.answer(0, "-", interval_ms=3000) == []
    assert talk.status == "joining"
    assert talk.wait(2.9) == []
    assert talk.wait(0.2) == [JOIN]


def test_an_epoch_is_not_published_before_its_assignment_is_known() -> None:
    talk = joining()
    assert talk.answer(5, None) == []
    assert talk.status == "joining"
    assert talk.wait(5) == [JOIN.replace("epoch=0", "epoch=5")]
    assert talk.answer(5, "-")[0] == "publish epoch=5"


def test_a_coordinator_of_kafka_3_gives_the_member_its_id() -> None:
    talk = joining()
    talk.answer(5, "-", member_id="yours")
    assert talk.member.member_id == "yours"


def test_a_join_whose_answer_was_lost_is_repeated_in_full() -> None:
    talk = joining()
    assert talk.lose_heartbeat() == ["find coordinator"]
    assert talk.wait_for_deadline() == [JOIN]
    assert talk.now == 0.1


def test_the_member_id_is_kept_when_the_member_joins_again() -> None:
    talk = stable()
    talk.wait(5)
    talk.refuse(ErrorCode.UNKNOWN_MEMBER_ID)
    talk.lost()
    assert talk.effects[-1].member_id == "me"  # type: ignore[union-attr]


def test_subscribing_to_something_else_while_joining_is_said_once_the_join_is_answered() -> None:
    talk = joining()
    assert talk.subscribe("orders") == []
    assert talk.answer(5, "-")[-1] == "heartbeat epoch=5 full timeout=300000 topics=orders owned=-"
