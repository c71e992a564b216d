"""Which client-side assignors go together, and what is said to those who are refused."""

from __future__ import annotations

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.assignors import AssignorMetadata, MemberAssignment, Metadata
from kafka_nextgen.assignors.spec import ClientAssignor
from kafka_nextgen.assignors.user_data import MemberWord, word_of, write_member_word
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.consumer_protocol import MemberSubscription, encode_subscription
from kafka_nextgen.groups.offered_protocol import OfferedProtocol
from kafka_nextgen.groups.records import ClassicProtocols, MemberMetadata
from kafka_nextgen.testing.coordinator.extensions.assignor_selection import (
    Offer,
    are_compatible,
    common_assignor,
    metadata_for,
    offer_in,
    offer_of,
    overlap,
)
from kafka_nextgen.testing.coordinator.extensions.requests import InstallAssignment, PrepareAssignment
from kafka_nextgen.testing.coordinator.extensions.responses import AssignmentPrepared
from kafka_nextgen.testing.coordinator.extensions.state import COMPUTING
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings
from tests.testing.coordinator.stage import GROUP, Stage

USER_DATA = Offer(-1, None)


@pytest.mark.parametrize(
    ("offers", "fit"),
    [
        ([Offer(1, (1, 1)), Offer(1, (1, 2))], True),
        ([Offer(1, (1, 2)), Offer(2, (1, 2))], True),
        ([Offer(1, (1, 1)), Offer(2, (1, 2))], False),  # the first could not read what the second wrote
        ([Offer(1, (1, 1)), Offer(2, (2, 2))], False),
        ([Offer(0, (-1, 1)), USER_DATA], True),
        ([Offer(0, (0, 1)), USER_DATA], False),
        ([USER_DATA], True),
        ([], True),
    ],
)
def test_versions_that_go_together(offers: list[Offer], fit: bool) -> None:
    assert are_compatible(offers) is fit


ranges = st.tuples(st.integers(-1, 4), st.integers(0, 4)).filter(lambda bounds: bounds[0] <= bounds[1])
offers_that_read = ranges.flatmap(lambda bounds: st.builds(Offer, st.integers(*bounds), st.just(bounds)))


@given(st.lists(offers_that_read | st.just(USER_DATA), min_size=1, max_size=5))
def test_that_go_together_is_that_everybody_reads_what_everybody_wrote(offers: list[Offer]) -> None:
    readers = [offer.reads for offer in offers if offer.reads is not None]
    everybody_reads = all(low <= offer.version <= high for offer in offers for low, high in readers)
    assert are_compatible(offers) is everybody_reads
    if everybody_reads and readers:
        assert all(low <= overlap(offers)[0] <= overlap(offers)[1] <= high for low, high in readers)


def offered(user_data: bytes | None) -> OfferedProtocol:
    return OfferedProtocol("mine", encode_subscription(MemberSubscription(frozenset({"foo"}), user_data=user_data)))


def test_what_this_library_says_in_user_data_counts_as_in_a_heartbeat() -> None:
    mine = ClientAssignor("mine", 1, 2, reason=3, metadata=Metadata(2, b"heavy"))
    protocol = offered(write_member_word(word_of(mine)))
    assert offer_in(protocol) == offer_of(mine) == Offer(2, (1, 2))
    assert metadata_for(classic_member(protocol), "mine") == AssignorMetadata(3, Metadata(2, b"heavy"))


@pytest.mark.parametrize("user_data", [b"\0theirs", b"", None])
def test_other_user_data_is_metadata_of_version_minus_one(user_data: bytes | None) -> None:
    assert offer_in(offered(user_data)) == USER_DATA
    assert metadata_for(classic_member(offered(user_data)), "mine").metadata == Metadata(-1, user_data or b"")


def test_a_subscription_that_cannot_be_read_says_nothing() -> None:
    assert offer_in(OfferedProtocol("mine", b"?")) == USER_DATA
    assert metadata_for(classic_member(OfferedProtocol("mine", b"?")), "mine") == MemberWord().said


def classic_member(protocol: OfferedProtocol) -> MemberMetadata:
    classic = ClassicProtocols(10_000, (protocol,))
    return MemberMetadata(GROUP, "A", None, None, "", "", ("foo",), None, 60_000, None, classic)


def join(stage: Stage, name: str, *assignors: ClientAssignor) -> ConsumerGroupHeartbeatAnswer:
    return stage.join(name, client_assignors=assignors or None)


REFUSED = [
    (
        ClientAssignor("", 0, 0),
        ErrorCode.INVALID_REQUEST,
        "assignor '' has an empty name",
    ),
    (
        ClientAssignor("mine", 0, 1, metadata=Metadata(2)),
        ErrorCode.INVALID_REQUEST,
        "assignor 'mine' has metadata of a version that is not between its MinimumVersion and its MaximumVersion",
    ),
    (
        ClientAssignor("yours"),
        ErrorCode.UNSUPPORTED_ASSIGNOR,
        "no member of group 'g' has assignor 'yours': they have 'mine'. Join with an assignor that they have, without "
        "any assignor, or after they have left",
    ),
    (
        ClientAssignor("mine", 2, 3, metadata=Metadata(2)),
        ErrorCode.UNSUPPORTED_ASSIGNOR,
        "assignor 'mine' reads versions 2 to 3 and wrote version 2, but the members of group 'g' all read 0 to 1 and "
        "wrote 1. The assignor must read the versions that they write, and write a version that they all read",
    ),
]


@pytest.mark.parametrize(("assignor", "error", "message"), REFUSED)
def test_who_is_refused_learns_why_and_what_to_do(assignor: ClientAssignor, error: ErrorCode, message: str) -> None:
    stage = Stage(CoordinatorSettings(extensions=True))
    assert join(stage, "A", ClientAssignor("mine", 0, 1, metadata=Metadata(1))).error is ErrorCode.NONE
    answer = join(stage, "B", assignor)
    assert (answer.error, answer.message) == (error, message)
    stage.check()


def test_members_whose_versions_exclude_each_other_have_another_assignor_in_common() -> None:
    stage = Stage(CoordinatorSettings(extensions=True))
    yours = ClientAssignor("yours")
    join(stage, "A", ClientAssignor("mine", 0, 1), yours)
    join(stage, "B", ClientAssignor("mine", 2, 3, metadata=Metadata(2)), yours)
    assert common_assignor(stage.group, stage.settings) == "yours"
    answer = join(stage, "C", ClientAssignor("mine", 0, 3))
    assert answer.error is ErrorCode.UNSUPPORTED_ASSIGNOR
    assert "read no version in common and wrote 0, 2" in (answer.message or "")


def test_who_brings_an_assignor_to_members_without_any_learns_that() -> None:
    stage = Stage(CoordinatorSettings(extensions=True))
    join(stage, "S")
    answer = join(stage, "A", ClientAssignor("mine"))
    assert answer.error is ErrorCode.UNSUPPORTED_ASSIGNOR
    assert "they have none of their own" in (answer.message or "")


def test_a_coordinator_that_goes_on_without_extensions_assigns_by_itself() -> None:
    stage = Stage(CoordinatorSettings(extensions=True, group_consumer_assignment_interval_ms=0))
    stage.set_topic("foo", 2)
    epoch = join(stage, "A", ClientAssignor("mine")).member_epoch
    prepared = stage.ask(PrepareAssignment(GROUP, "A", epoch)).response
    assert isinstance(prepared, AssignmentPrepared)
    share = MemberAssignment({topic_id: {0, 1} for topic_id in prepared.topics}, Metadata(0, b"all"))
    stage.ask(InstallAssignment(GROUP, "A", epoch, prepared.group_epoch, error=1, members={"A": share}))
    assert (stage.group.client_assignor, stage.group.assignment_error) == ("mine", 1)

    stage.settings = evolve(stage.settings, extensions=False)
    stage.fail_over()
    stage.check()
    assert stage.group.target_metadata == {"A": Metadata(0, b"all")}
    join(stage, "B")
    stage.check()
    assert (stage.group.client_assignor, stage.group.assignment_error, dict(stage.group.target_metadata)) == (
        None,
        0,
        {},
    )


def test_a_long_word_about_a_failure_is_cut() -> None:
    stage = Stage(CoordinatorSettings(extensions=True))
    epoch = join(stage, "A", ClientAssignor("mine")).member_epoch
    stage.ask(InstallAssignment(GROUP, "A", epoch, 0, message="x" * 1_000_000))
    assert len(COMPUTING.of(stage.group).complaint) < 1_200
