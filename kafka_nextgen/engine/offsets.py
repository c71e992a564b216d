"""Commits and committed offsets: requests to the group's coordinator, repeated as the member's rules say.

Which error means what is ``membership.offsets``' business. Here is only how each reaction is done: pause, look for
the coordinator, wait for the epoch that the next heartbeat brings, leave a partition out, or fail.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from attrs import evolve

from kafka_nextgen.bridge import offset_commit, offset_fetch
from kafka_nextgen.codes import ErrorCode, is_retriable, name_of
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.coordinator.requests import OffsetCommit, OffsetFetch
from kafka_nextgen.engine.counters import CommitCounters
from kafka_nextgen.engine.failures import error_from_code
from kafka_nextgen.engine.identity import Identity
from kafka_nextgen.engine.retries import Patience
from kafka_nextgen.errors import CommitFailedError, DecodeError, KafkaNextgenError, MisuseError, TransportError
from kafka_nextgen.membership.offsets.rules import RULES, Action, OffsetRules, Reaction
from kafka_nextgen.transport.cluster import ClusterClient, Coordinator
from kafka_nextgen.types import OffsetAndMetadata, TopicId, TopicPartition, format_partitions
from kafka_nextgen.wire.apis import OFFSET_COMMIT, OFFSET_FETCH, Api
from kafka_nextgen.wire.messages import OffsetCommitResponse, OffsetFetchResponse

__all__ = ["OffsetClient"]

Offsets = Mapping[TopicPartition, OffsetAndMetadata]


class OffsetClient:
    """Talks to the coordinator about offsets, in the name of the member if there is one.

    ``rules`` are those of the protocol the member is in its group by. ``assigned_topics`` tells which topics are meant
    by the names of what is assigned: where another one has such a name by now, its offsets must not be touched.
    """

    rules: OffsetRules = RULES

    def __init__(
        self,
        cluster: ClusterClient,
        identity: Identity,
        config: ConsumerConfig,
        counters: CommitCounters,
        assigned_topics: Callable[[], Mapping[str, TopicId]],
    ) -> None:
        self._cluster = cluster
        self._identity = identity
        self._config = config
        self._counters = counters
        self._assigned_topics = assigned_topics

    # ---- commit

    async def commit(self, offsets: Offsets, timeout_s: float) -> None:
        """Commit for the application.

        Raises CommitFailedError, with the reason for each partition that was not committed, another BrokerError
        where the code has one of its own, or RequestTimeoutError.
        """
        with self._counters.counted(offsets):
            await self._commit(offsets, timeout_s, self.rules.on_commit_error)

    async def commit_before_revoking(self, offsets: Offsets, timeout_s: float) -> None:
        """Commit for a reconciliation: a topic that is gone does not hold it up."""
        with self._counters.counted(offsets):
            await self._commit(offsets, timeout_s, self.rules.on_commit_before_revoking_error)

    async def _commit(self, offsets: Offsets, timeout_s: float, react: Callable[[int], Reaction]) -> None:
        self._require_group()
        patience = self._patience(f"group {self._identity.group_id}: commit of {format_partitions(offsets)}", timeout_s)
        left, given_up = dict(offsets), set[TopicPartition]()
        life, turn = self._identity.life, self._identity.turn
        while left:
            epoch = self._identity.member_epoch
            # Out of the group, or out and in again: what was lost may be somebody else's by now. An empty group would
            # even take the commit of a stranger, and set back what a successor committed.
            if life != self._identity.life or (self._identity.belongs and epoch < 0):
                raise self._refused(left, ErrorCode.UNKNOWN_MEMBER_ID, react)
            given_up |= self._identity.given_up_since(turn, left)
            left = {tp: offset for tp, offset in left.items() if tp not in given_up}
            if left:
                left = await self._try_to_commit(left, epoch, react, patience)
        if given_up:
            raise self._refused(given_up, ErrorCode.REBALANCE_IN_PROGRESS, react)

    async def _try_to_commit(
        self, left: Offsets, epoch: int, react: Callable[[int], Reaction], patience: Patience
    ) -> dict[TopicPartition, OffsetAndMetadata]:
        """Commit once, and do what the errors ask for; returns what is to be committed again."""
        try:
            codes = await self._commit_once(left, patience)
        except (TransportError, DecodeError) as failure:
            await patience.pause(failure)
            return dict(left)
        failed = {tp: code for tp, code in codes.items() if code}
        again = {tp: left[tp] for tp, code in failed.items() if react(code).action is not Action.LEAVE_OUT}
        if again:
            await self._react_to_commit(failed, epoch, react, patience)
        return again

    def _refused(
        self, partitions: Iterable[TopicPartition], code: ErrorCode, react: Callable[[int], Reaction]
    ) -> KafkaNextgenError:
        return self._commit_error(dict.fromkeys(partitions, int(code)), react(code), code)

    async def _commit_once(self, offsets: Offsets, patience: Patience) -> dict[TopicPartition, int]:
        request = OffsetCommit(
            group_id=self._identity.group_id,
            offsets=offsets,
            member_id=self._identity.member_id,
            member_epoch=self._identity.member_epoch,
            instance_id=self._identity.instance_id if self._identity.member_epoch >= 0 else None,
        )
        topic_ids = self._topic_ids()
        api = _up_to(OFFSET_COMMIT, offset_commit.highest_version(offsets.keys(), topic_ids))
        answer = await self._cluster.call(
            Coordinator(request.group_id),
            api,
            lambda version: offset_commit.to_request(request, topic_ids, version),
            self._attempt_s(patience),
        )
        assert isinstance(answer, OffsetCommitResponse)
        return offset_commit.from_response(answer, offsets.keys(), topic_ids)

    async def _react_to_commit(
        self,
        failed: Mapping[TopicPartition, int],
        epoch: int,
        react: Callable[[int], Reaction],
        patience: Patience,
    ) -> None:
        reactions = {tp: react(code) for tp, code in failed.items()}
        for tp, reaction in reactions.items():
            if reaction.action is Action.FAIL or patience.left_s() <= 0:
                raise self._commit_error(failed, reaction, failed[tp])
        tp = min(failed)
        patience.refusal = self._commit_error(failed, reactions[tp], failed[tp])
        await self._wait_as_told({reaction.action for reaction in reactions.values()}, epoch, patience, failed)

    def _commit_error(self, failed: Mapping[TopicPartition, int], reaction: Reaction, code: int) -> KafkaNextgenError:
        if reaction.error is not CommitFailedError:
            text = f"group {self._identity.group_id}: commit of {format_partitions(failed)}"
            return error_from_code(code, text, group_id=self._identity.group_id, member_id=self._identity.member_id)
        reasons = {tp: name_of(number) for tp, number in failed.items()}
        return CommitFailedError(
            f"group {self._identity.group_id}: {self._identity} could not commit {format_partitions(failed)} "
            f"({', '.join(sorted(set(reasons.values())))})",
            code=code,
            retriable=is_retriable(code),
            group=self._identity.group_id,
            member=self._identity.member_id,
            failed=reasons,
        )

    # ---- committed offsets

    async def committed(
        self, partitions: Collection[TopicPartition], timeout_s: float
    ) -> dict[TopicPartition, OffsetAndMetadata | None]:
        """The committed offsets of ``partitions``, None where there is none; without those that are unknown just now.

        Raises a BrokerError, or RequestTimeoutError.
        """
        self._require_group()
        what = f"group {self._identity.group_id}: committed offsets of {format_partitions(partitions)}"
        patience = self._patience(what, timeout_s)
        found: dict[TopicPartition, OffsetAndMetadata | None] = {}
        left = set(partitions)
        while left:
            epoch = self._identity.member_epoch
            try:
                answer = await self._fetch_once(left, patience)
            except (TransportError, DecodeError) as failure:
                await patience.pause(failure)
                continue
            found.update((tp, answer.offsets.get(tp)) for tp in left - answer.errors.keys() if not answer.error)
            left -= found.keys()
            if left:
                left -= await self._react_to_fetch(answer, left, epoch, patience)
        return found

    async def _fetch_once(
        self, partitions: Collection[TopicPartition], patience: Patience
    ) -> offset_fetch.FetchedOffsets:
        identity, topic_ids = self._identity, self._topic_ids()
        is_member = identity.member_epoch >= 0 and self.rules.fetches_as_member
        request = OffsetFetch(
            group_id=identity.group_id,
            partitions=tuple(sorted(partitions)),
            member_id=identity.member_id if is_member else None,
            member_epoch=identity.member_epoch if is_member else -1,
        )
        answer = await self._cluster.call(
            Coordinator(identity.group_id),
            _up_to(OFFSET_FETCH, offset_fetch.highest_version(partitions, topic_ids)),
            lambda version: offset_fetch.to_request(request, topic_ids, version),
            self._attempt_s(patience),
        )
        assert isinstance(answer, OffsetFetchResponse)
        return offset_fetch.from_response(answer, identity.group_id, topic_ids)

    async def _react_to_fetch(
        self,
        answer: offset_fetch.FetchedOffsets,
        left: Collection[TopicPartition],
        epoch: int,
        patience: Patience,
    ) -> set[TopicPartition]:
        """Do what the errors ask for; returns the partitions that are left out."""
        codes = dict.fromkeys(left, answer.error) if answer.error else {tp: answer.errors[tp] for tp in left}
        actions = {tp: self.rules.on_fetch_error(code).action for tp, code in codes.items()}
        for tp, action in actions.items():
            if action is Action.FAIL:
                text = f"group {self._identity.group_id}: committed offset of {tp}"
                raise error_from_code(codes[tp], text, group_id=self._identity.group_id)
        left_out = {tp for tp, action in actions.items() if action is Action.LEAVE_OUT}
        if len(left_out) < len(codes):
            await self._wait_as_told(set(actions.values()), epoch, patience, codes)
        return left_out

    # ---- both

    async def _wait_as_told(
        self, actions: Collection[Action], epoch: int, patience: Patience, codes: Mapping[TopicPartition, int]
    ) -> None:
        if Action.FIND_COORDINATOR in actions:
            self._cluster.forget_coordinator(self._identity.group_id)
        if Action.RETRY_WITH_NEW_EPOCH in actions and await self._identity.wait_for_change(epoch, patience.left_s()):
            return
        await patience.pause(", ".join(sorted({name_of(code) for code in codes.values()})))

    def _require_group(self) -> None:
        if not self._identity.group_id:
            raise MisuseError("offsets are kept by group: set group.id")

    def _topic_ids(self) -> dict[str, TopicId]:
        topics = self._cluster.metadata.topics_by_name.values()
        known = {topic.name: topic.topic_id for topic in topics if topic.topic_id is not None}
        return {**known, **self._assigned_topics()}

    def _attempt_s(self, patience: Patience) -> float:
        return min(patience.require_time(), self._config.request_timeout_ms / 1000)

    def _patience(self, what: str, timeout_s: float) -> Patience:
        config = self._config
        return Patience(what, timeout_s, config.retry_backoff_ms / 1000, config.retry_backoff_max_ms / 1000)


def _up_to(api: Api, version: int) -> Api:
    """The same API, with no version above ``version``."""
    return evolve(api, max_version=min(api.max_version, version))
