"""The walks of ``test_walks`` with an assignor of the members' own, which they have by both protocols.

Leaders of the classic group give user data out, so that the group could not change its protocol at Kafka.
"""

from __future__ import annotations

from attrs import define, evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kafka_nextgen.assignors import AssignmentSpec, MemberAssignment, Metadata, UniformAssignor
from kafka_nextgen.assignors.spec import ClientAssignor
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.consumer_protocol import (
    MemberSubscription,
    decode_assignment,
    encode_assignment,
    encode_subscription,
)
from kafka_nextgen.offsets_topic.extensions import decode, encode
from kafka_nextgen.testing.coordinator.extensions.requests import InstallAssignment, PrepareAssignment
from kafka_nextgen.testing.coordinator.extensions.responses import AssignmentInstalled, AssignmentPrepared
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings, Profile
from kafka_nextgen.types import TopicPartition
from tests.support.examples import examples
from tests.testing.coordinator import migration_walk as migration
from tests.testing.coordinator.stage import GROUP, Stage
from tests.testing.coordinator.walk_steps import Step

MINE = "mine"


@define
class Walk(migration.Walk):
    """Members with an assignor of their own; a member that is told to compute does so at once."""

    def _request(
        self, client: migration.Client, epoch: int, owned: frozenset[TopicPartition] | None
    ) -> ConsumerGroupHeartbeat:
        own = (ClientAssignor(MINE, -1, 1, metadata=Metadata(1, b"new")),)
        return evolve(super()._request(client, epoch, owned), client_assignors=own if epoch == 0 else None)

    def _take(self, client: migration.Client, epoch: int, answer: ConsumerGroupHeartbeatAnswer) -> None:
        super()._take(client, epoch, answer)
        if answer.should_compute:
            self._compute(client)

    def _compute(self, client: migration.Client) -> None:
        prepared = self.stage.ask(PrepareAssignment(GROUP, client.member_id, client.epoch)).response
        assert isinstance(prepared, AssignmentPrepared)
        assert prepared.error is ErrorCode.NONE, prepared
        members = {member_id: member.spec for member_id, member in prepared.members.items()}
        made = UniformAssignor().assign(AssignmentSpec(members, prepared.topics)).members
        said = {
            member_id: MemberAssignment(share.partitions, Metadata(members[member_id].metadata.version, b"word"))
            for member_id, share in made.items()
        }
        install = InstallAssignment(GROUP, client.member_id, client.epoch, prepared.group_epoch, members=said)
        assert self.stage.ask(install).response == AssignmentInstalled()

    def _subscription(self, client: migration.Client) -> bytes:
        return encode_subscription(MemberSubscription(frozenset({"foo"}), client.owned, user_data=b"old"))

    def _shares(self, client: migration.Client) -> tuple[tuple[str, bytes], ...]:
        return tuple(
            (member_id, encode_assignment(decode_assignment(part), user_data=b"word"))
            for member_id, part in super()._shares(client)
        )


@settings(max_examples=examples(25), suppress_health_check=list(HealthCheck))
@given(st.sampled_from([Profile.V4_0, Profile.V4_3]), st.lists(migration.steps, min_size=10, max_size=30))
def test_a_group_with_an_assignor_of_its_own_goes_either_way_and_settles(profile: Profile, walk: list[Step]) -> None:
    settings = CoordinatorSettings(profile=profile, group_consumer_assignment_interval_ms=0, extensions=True)
    walker = Walk(Stage(settings), MINE)
    walker.begin()
    walker.play(walk)
    rows = [encode(record) for record in walker.stage.log]
    assert [decode(row.key, row.value) for row in rows] == walker.stage.log
