"""The corners of one member's reconciliation; its ordinary ways are told in the scenarios."""

from __future__ import annotations

from uuid import UUID

from attrs import evolve

from kafka_nextgen.groups.records import CurrentMemberAssignment, MemberStatus
from kafka_nextgen.groups.topic_partitions import to_topic_partitions
from kafka_nextgen.testing.coordinator.reconciliation import ReconciliationInput, reconcile
from kafka_nextgen.types import TopicIdPartition

FOO, BAR = UUID(int=1), UUID(int=2)
FOO_0, FOO_1, BAR_0 = TopicIdPartition(FOO, 0), TopicIdPartition(FOO, 1), TopicIdPartition(BAR, 0)

STABLE = CurrentMemberAssignment("g", "A", 5, 4, MemberStatus.STABLE, ((FOO_0, 3), (BAR_0, 4)), ())
INPUT = ReconciliationInput(5, to_topic_partitions([FOO_0, BAR_0]), {FOO, BAR}, None, {FOO_0: "A", BAR_0: "A"})


def test_a_member_at_its_target_stays_as_it_is() -> None:
    assert reconcile(STABLE, INPUT) is STABLE


def test_what_is_kept_keeps_the_epoch_it_was_granted_at() -> None:
    after = reconcile(STABLE, evolve(INPUT, target_epoch=6, target=to_topic_partitions([FOO_0, FOO_1, BAR_0])))
    assert dict(after.assigned) == {FOO_0: 3, BAR_0: 4, FOO_1: 6}
    assert (after.member_epoch, after.previous_member_epoch) == (6, 5)


def test_a_request_that_shows_the_partition_gone_saves_a_round() -> None:
    after = reconcile(STABLE, evolve(INPUT, target_epoch=6, target=to_topic_partitions([FOO_0]), owned={FOO_0}))
    assert after.status is MemberStatus.STABLE
    assert after.member_epoch == 6


def test_owning_less_than_told_acknowledges_too() -> None:
    revoking = evolve(STABLE, status=MemberStatus.UNREVOKED_PARTITIONS, assigned=(), pending_revocation=((FOO_0, 3),))
    assert reconcile(revoking, evolve(INPUT, target_epoch=6, target={}, owned=set())).member_epoch == 6


def test_a_member_that_waits_for_the_same_as_before_has_not_changed() -> None:
    waiting = evolve(STABLE, status=MemberStatus.UNRELEASED_PARTITIONS, previous_member_epoch=4)
    course = evolve(INPUT, target=to_topic_partitions([FOO_0, BAR_0, FOO_1]), owners={FOO_1: "B"})
    once_more = reconcile(waiting, course)
    assert once_more == evolve(waiting, previous_member_epoch=5), "but it was answered at this epoch"
    assert reconcile(once_more, course) is once_more


def test_what_it_unsubscribed_from_and_no_longer_owns_goes_without_asking() -> None:
    after = reconcile(STABLE, evolve(INPUT, subscribed={FOO}, owned={FOO_0}, trims=True))
    assert after.assigned == ((FOO_0, 3),)
    assert after.status is MemberStatus.STABLE
    assert after.member_epoch == 5


def test_what_it_unsubscribes_from_while_it_revokes_is_added_to_what_it_gives_back() -> None:
    revoking = evolve(
        STABLE, status=MemberStatus.UNREVOKED_PARTITIONS, assigned=((BAR_0, 4),), pending_revocation=((FOO_0, 3),)
    )
    after = reconcile(revoking, evolve(INPUT, subscribed=set(), trims=True))
    assert after.assigned == ()
    assert dict(after.pending_revocation) == {FOO_0: 3, BAR_0: 4}


def test_a_target_the_member_no_longer_subscribes_to_is_not_granted() -> None:
    after = reconcile(
        STABLE,
        evolve(INPUT, target_epoch=6, target=to_topic_partitions([FOO_1, BAR_0]), subscribed={BAR}, owned={BAR_0}),
    )
    assert after.assigned == ((BAR_0, 4),)
    assert after.status is MemberStatus.STABLE


def test_a_status_of_a_later_release_starts_anew() -> None:
    unknown = evolve(STABLE, status=MemberStatus.UNKNOWN)
    after = reconcile(unknown, evolve(INPUT, owned=set()))
    assert after.status is MemberStatus.STABLE
