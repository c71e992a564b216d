"""A world behind a socket: raw members talk to a broker, whoever made it.

On a broker that others use, too, a scenario's group and topics have names of their own; they are told by the names they
have in the scenario.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.described import ConsumerGroupDescribed
from kafka_nextgen.groups.end_transaction import EndTransaction
from kafka_nextgen.groups.listed import GroupsDeleted, GroupsListed
from kafka_nextgen.membership.effects import SendHeartbeat
from kafka_nextgen.membership.events import HeartbeatRefused
from kafka_nextgen.membership.offsets.effects import SendCommit, SendLookup
from kafka_nextgen.requests import (
    consumer_group_describe,
    consumer_group_heartbeat,
    offset_commit,
    offset_delete,
    offset_fetch,
)
from kafka_nextgen.testing.coordinator.classic.requests import DescribeGroups
from kafka_nextgen.testing.coordinator.requests import (
    ConsumerGroupDescribe,
    ConsumerGroupHeartbeat,
    DeleteGroups,
    OffsetCommit,
    OffsetDelete,
    OffsetFetch,
    TxnOffsetCommit,
)
from kafka_nextgen.testing.coordinator.responses import (
    ConsumerGroupHeartbeatAnswer,
    Noted,
    OffsetsCommitted,
    OffsetsDeleted,
    OffsetsFetched,
)
from kafka_nextgen.types import TopicId, TopicPartition
from kafka_nextgen.wire.apis import (
    CONSUMER_GROUP_DESCRIBE,
    CONSUMER_GROUP_HEARTBEAT,
    OFFSET_COMMIT,
    OFFSET_DELETE,
    OFFSET_FETCH,
)
from tests.support.clients import unique
from tests.support.waiting import GUARD_S, eventually
from tests.testing.broker.client import Client
from tests.testing.broker.configs import DELETE, SET, alter, describe
from tests.testing.broker.configs import GROUP as CONFIGS_OF_GROUP
from tests.verification.scenario_language.notation import NotationError
from tests.verification.scenario_language.world import (
    GROUP,
    Answer,
    Heard,
    LateAnswer,
    PatientQuestion,
    Question,
    World,
)
from tests.verification.worlds import topics
from tests.verification.worlds.classic import ClassicConversation
from tests.verification.worlds.transactions import Producers

_BY_NAME = 9  # the highest version of OffsetCommit and OffsetFetch that every release has


class SocketWorld(World):
    """A group and topics of the scenario's own, on the broker ``client`` is connected to."""

    def __init__(self, client: Client, connect: Callable[[], Client]) -> None:
        super().__init__(relative_epochs=True)
        self.client = client
        self.conversation = ClassicConversation(client, connect, self._real_name, self._told_name)
        self.group = unique("scenario")
        self._producers = Producers(client)
        self._real_names: dict[str, str] = {}

    def ask(self, question: Question) -> Heard:
        if isinstance(question, ConsumerGroupHeartbeat):
            return Heard(self._heartbeat(evolve(question, group_id=self.group)))
        if isinstance(question, OffsetCommit):
            return Heard(self._commit(evolve(question, group_id=self.group)))
        if isinstance(question, ConsumerGroupDescribe):
            return Heard(self._describe())
        if isinstance(question, OffsetFetch):
            return Heard(self._fetch(evolve(question, group_id=self.group)))
        if isinstance(question, TxnOffsetCommit):
            return Heard(self._commit_in_transaction(evolve(question, group_id=self.group)))
        if isinstance(question, EndTransaction):
            self._producers.end(question)
            return Heard(Noted())
        if isinstance(question, OffsetDelete):
            return Heard(self._delete(question))
        return Heard(self._told_of_group(self.conversation.ask(self._of_group(question))))

    def put(self, name: str, question: PatientQuestion) -> None:
        self.conversation.put(name, evolve(question, group_id=self.group))

    def arrived(self) -> dict[str, LateAnswer]:
        return self.conversation.arrived(self.group)

    def wait(self) -> Iterable[str]:
        """Time passes by itself: long enough for whatever is told to come."""
        self.conversation.wait(GUARD_S)
        return ()

    def _of_group(self, question: Question) -> Question:
        if isinstance(question, DescribeGroups | DeleteGroups):
            return evolve(question, group_ids=(self.group,))
        return evolve(question, group_id=self.group) if hasattr(question, "group_id") else question

    def _told_of_group(self, answer: Answer) -> Answer:
        if isinstance(answer, GroupsListed):
            own = (evolve(group, group_id=GROUP) for group in answer.groups if group.group_id == self.group)
            return GroupsListed(tuple(own))
        if isinstance(answer, GroupsDeleted):
            return GroupsDeleted({GROUP: answer.results[self.group]})
        return answer

    def _heartbeat(self, question: ConsumerGroupHeartbeat) -> ConsumerGroupHeartbeatAnswer:
        names = question.subscribed_topics
        effect = SendHeartbeat(
            1,
            question.member_id,
            question.member_epoch,
            question.instance_id,
            question.rack_id,
            question.rebalance_timeout_ms,
            None if names is None else tuple(sorted(self._real_name(name) for name in names)),
            question.subscribed_pattern,
            question.server_assignor,
            client_assignors=question.client_assignors,
            owned=question.owned,
        )
        request = consumer_group_heartbeat.to_request(effect, question.group_id, version=1)
        event = consumer_group_heartbeat.to_event(1, self.client.ask(CONSUMER_GROUP_HEARTBEAT, request, 1))
        if isinstance(event, HeartbeatRefused):
            return ConsumerGroupHeartbeatAnswer(ErrorCode(event.code), event.message)
        return ConsumerGroupHeartbeatAnswer(
            ErrorCode.NONE, None, event.member_id, event.member_epoch, event.heartbeat_interval_ms, event.assignment
        )

    def _describe(self) -> ConsumerGroupDescribed:
        request = consumer_group_describe.to_request([self.group])
        return consumer_group_describe.from_response(self.client.ask(CONSUMER_GROUP_DESCRIBE, request), [self.group])

    def _commit(self, question: OffsetCommit) -> OffsetsCommitted:
        offsets = {self._real(partition): at for partition, at in question.offsets.items()}
        effect = SendCommit(0, question.member_id, question.member_epoch, question.instance_id, offsets, deadline=0.0)
        request = offset_commit.to_request(effect, self.group, question.version, {})
        answer = self.client.ask(OFFSET_COMMIT, request, question.version)
        codes = offset_commit.from_response(answer, offsets, {})
        return OffsetsCommitted({self._told(partition): ErrorCode(code) for partition, code in codes.items()})

    def _commit_in_transaction(self, question: TxnOffsetCommit) -> OffsetsCommitted:
        offsets = {self._real(partition): at for partition, at in question.offsets.items()}
        answer = self._producers.commit(evolve(question, offsets=offsets))
        return OffsetsCommitted({self._told(partition): code for partition, code in answer.errors.items()})

    def _fetch(self, question: OffsetFetch) -> OffsetsFetched:
        if question.partitions is None:
            request = offset_fetch.listing(self.group, _BY_NAME).replaced(require_stable=True)
        else:
            wanted = frozenset(map(self._real, question.partitions))
            effect = SendLookup(0, question.member_id, question.member_epoch, wanted, deadline=0.0)
            request = offset_fetch.to_request(effect, self.group, _BY_NAME, {})
        answer = self.client.ask(OFFSET_FETCH, request, _BY_NAME)
        fetched = offset_fetch.from_response(answer, self.group, {})
        offsets = {self._told(partition): at for partition, at in fetched.offsets.items()}
        assert set(fetched.errors.values()) <= {ErrorCode.UNSTABLE_OFFSET_COMMIT}
        return OffsetsFetched(offsets, ErrorCode(fetched.error), frozenset(map(self._told, fetched.errors)))

    def _delete(self, question: OffsetDelete) -> OffsetsDeleted:
        partitions = tuple(map(self._real, question.partitions))
        answer = self.client.ask(OFFSET_DELETE, offset_delete.to_request(self.group, partitions))
        deleted = offset_delete.from_response(answer, partitions)
        errors = {self._told(partition): ErrorCode(code) for partition, code in deleted.errors.items()}
        return OffsetsDeleted(errors, ErrorCode(deleted.error))

    def configure(self, config: Mapping[str, str]) -> ErrorCode:
        changes = [(key, SET if value else DELETE, value or None) for key, value in config.items()]
        code = alter(self.client, CONFIGS_OF_GROUP, self.group, *changes)[0]
        if code == ErrorCode.NONE.name:
            eventually("the group is configured", lambda: self._is_configured(config))
        return ErrorCode[code]

    def _is_configured(self, config: Mapping[str, str]) -> bool:
        told = describe(self.client, CONFIGS_OF_GROUP, self.group)
        return all(told[key].value == value or not value for key, value in config.items())

    def _real(self, partition: TopicPartition) -> TopicPartition:
        return partition._replace(topic=self._real_name(partition.topic))

    def _real_name(self, name: str) -> str:
        return self._real_names.setdefault(name, unique(name))

    def _told(self, partition: TopicPartition) -> TopicPartition:
        return partition._replace(topic=self._told_name(partition.topic))

    def _told_name(self, real_name: str) -> str:
        return next((name for name, real in self._real_names.items() if real == real_name), real_name)

    def make_topic(self, name: str, partitions: int) -> TopicId:
        return topics.create_topic(self.client, self._real_name(name), partitions)

    def grow_topic(self, name: str, partitions: int) -> None:
        topics.grow_topic(self.client, self._real_name(name), partitions)

    def delete_topic(self, name: str) -> None:
        topics.delete_topic(self.client, self._real_name(name))

    def pass_time(self, seconds: float) -> Iterable[str]:
        raise NotationError(f"nobody can let {seconds:g} s pass here but by waiting: leave this world out")
