"""Sends the offset machine's OffsetCommit and OffsetFetch requests: each effect is answered with an event."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from attrs import evolve, field

from kafka_nextgen import clocks
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.engine.reading.locked_fetches import LockedFetches
from kafka_nextgen.errors import DecodeError, OutageError, RequestTimeoutError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.membership.offsets.effects import SendCommit, SendLookup
from kafka_nextgen.membership.offsets.events import CommitAnswered, CommitLost, LookupAnswered, LookupLost
from kafka_nextgen.requests import offset_commit, offset_fetch
from kafka_nextgen.requests.cluster_image import LOOKS
from kafka_nextgen.transport.cluster import ClusterClient, Coordinator
from kafka_nextgen.transport.concurrency import SendQueue
from kafka_nextgen.types import TopicId, TopicPartition
from kafka_nextgen.wire.apis import OFFSET_COMMIT, OFFSET_FETCH, Api
from kafka_nextgen.wire.messages import OffsetCommitResponse, OffsetFetchResponse

__all__ = ["OffsetRequests"]

_UNKNOWN = (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_ID)


@frozen
class OffsetRequests:
    """Sends the offset requests of one group to its coordinator.

    Topics are sent by id if all ids are known and the broker supports that, otherwise by name. ``fetches`` provides the
    ids of the assigned topics: if a topic was created again with the same name, the new topic's offsets must not
    change. The broker answers offsets of a replaced topic with UNKNOWN_TOPIC_ID.

    Raises UnsupportedProtocolError, and AuthenticationError or GroupAuthorizationError if they prevent finding the
    coordinator.
    """

    cluster: ClusterClient
    group_id: str
    fetches: LockedFetches
    _send_queue: SendQueue = field(factory=SendQueue)
    #: How many metadata answers in a row did not have a partition that was committed.
    _missed: dict[TopicPartition, int] = field(factory=dict)

    async def commit(self, effect: SendCommit) -> CommitAnswered | CommitLost:
        """Send one commit. Commits are sent in the order of the calls, even while one looks up the coordinator."""
        old = self.fetches.under_lock(lambda state: state.of_old_topics(effect.offsets))
        refused = dict.fromkeys(old, int(ErrorCode.UNKNOWN_TOPIC_ID))
        effect = evolve(effect, offsets={tp: at for tp, at in effect.offsets.items() if tp not in old})
        if not effect.offsets:
            return CommitAnswered(effect.number, refused)
        topic_ids = self._topic_ids(effect.offsets)
        try:
            answer = await self.cluster.call(
                Coordinator(self.group_id),
                OFFSET_COMMIT.up_to(offset_commit.highest_version(effect.offsets, topic_ids)),
                lambda version: offset_commit.to_request(effect, self.group_id, version, topic_ids),
                clocks.seconds_until(effect.deadline),
                queue=self._send_queue,
            )
            assert isinstance(answer, OffsetCommitResponse)
            codes = offset_commit.from_response(answer, effect.offsets, topic_ids)
        except (OutageError, DecodeError) as failure:
            return CommitLost(effect.number, _reason(failure, OFFSET_COMMIT))
        return CommitAnswered(effect.number, {**codes, **refused}, await self._absent(codes, effect.deadline))

    async def _absent(self, codes: Mapping[TopicPartition, int], deadline: float) -> frozenset[TopicPartition]:
        """The partitions that neither the coordinator nor the last few metadata answers know.

        A broker may not know a new topic yet, so one answer is not enough. Assigned partitions are known to exist.
        """
        unknown = {tp for tp, code in codes.items() if code in _UNKNOWN}
        for tp in codes.keys() - unknown:
            self._missed.pop(tp, None)
        unknown -= self.fetches.assignment() if unknown else unknown
        if not unknown:
            return frozenset()
        try:
            topics = frozenset(tp.topic for tp in unknown)
            await self.cluster.refresh_metadata(topics=topics, timeout_s=clocks.seconds_until(deadline))
        except (OutageError, DecodeError):
            return frozenset()
        image = self.cluster.metadata
        for tp in unknown:
            self._missed[tp] = self._missed.get(tp, 0) + 1 if image.why_missing(tp) else 0
        return frozenset(tp for tp in unknown if self._missed[tp] >= LOOKS)

    async def look_up(self, effect: SendLookup) -> LookupAnswered | LookupLost:
        """Send one lookup of committed offsets."""
        topic_ids = self._topic_ids(effect.partitions)
        try:
            answer = await self.cluster.call(
                Coordinator(self.group_id),
                OFFSET_FETCH.up_to(offset_fetch.highest_version(effect.partitions, topic_ids)),
                lambda version: offset_fetch.to_request(effect, self.group_id, version, topic_ids),
                clocks.seconds_until(effect.deadline),
            )
            assert isinstance(answer, OffsetFetchResponse)
            found = offset_fetch.from_response(answer, self.group_id, topic_ids)
        except (OutageError, DecodeError) as failure:
            return LookupLost(effect.number, _reason(failure, OFFSET_FETCH))
        return LookupAnswered(effect.number, found.offsets, found.errors, found.error)

    def forget_coordinator(self) -> None:
        """Look the coordinator up again before the next request."""
        self.cluster.forget_coordinator(self.group_id)

    def _topic_ids(self, partitions: Collection[TopicPartition]) -> dict[str, TopicId]:
        topics = self.cluster.metadata.topics_by_name
        named = (topics[name] for name in {tp.topic for tp in partitions} if name in topics)
        known = {topic.name: topic.topic_id for topic in named if topic.topic_id is not None}
        return {**known, **self.fetches.under_lock(lambda state: state.topic_ids(partitions))}


def _reason(failure: Exception, api: Api) -> str:
    """Why a request got no answer. A timeout is reported by the caller that set it."""
    if isinstance(failure, RequestTimeoutError):
        return f"no response to {api.name}" if failure.__cause__ is None else str(failure.__cause__)
    return str(failure)
