"""Partitions that the application assigns to itself, without being a member of any group.

- A new assignment takes the place of the one before. Partitions in both go on exactly as they are; what is given up
  is committed first, with auto-commit, as far as it was processed.
- A partition of which a range is assigned begins anew, at the start of the range, and is given up before that.
- With ``group.id`` reading begins at the group's committed offsets. Commits are a stranger's, with epoch -1 and no
  member id, which a coordinator accepts as long as the group has no members (KIP-848, "OffsetCommit API").
- A partition that does not exist is waited for, and said so in the log and by ``problem``: it may be about to be
  created. If a range of it is assigned it is not: fetching raises that where the application polls. A topic that may
  not be described never comes, so that is raised there as well.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.engine.member.driver_context import DriverContext
from kafka_nextgen.errors import KafkaNextgenError, MisuseError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.requests.cluster_image import ClusterImage
from kafka_nextgen.transport.failures import error_from_code
from kafka_nextgen.types import OffsetRange, TopicPartition, format_partitions

__all__ = ["ManualAssignment", "refusal"]

logger = logger_of("kafka_nextgen.engine")

#: Waiting does not help for topics with these errors.
_HOPELESS = frozenset({ErrorCode.TOPIC_AUTHORIZATION_FAILED, ErrorCode.INVALID_TOPIC_EXCEPTION})


class ManualAssignment:
    """The manual assignment; all but ``partitions`` and ``problem`` is used on the I/O thread only."""

    def __init__(self, context: DriverContext) -> None:
        self._commits = context.config.enable_auto_commit
        self._cluster = context.cluster
        self._offsets = context.offsets
        self._fetcher = context.fetcher
        self._mailbox = context.mailbox
        self._tasks = context.tasks
        self.partitions: frozenset[TopicPartition] = frozenset()

    async def assign(
        self, partitions: frozenset[TopicPartition], ranges: Mapping[TopicPartition, OffsetRange], timeout_s: float
    ) -> None:
        """Make ``partitions`` the whole assignment; a commit before that takes ``timeout_s`` seconds at most."""
        if self.partitions - (partitions - ranges.keys()):
            await self._commit(timeout_s)
        self._replace(partitions, ranges)

    async def give_up(self, timeout_s: float, commits: bool) -> None:
        """Give all partitions up, committing before that if ``commits``, for ``timeout_s`` seconds at most."""
        if self.partitions and commits:
            await self._commit(timeout_s)
        if self.partitions:
            self._replace(frozenset(), {})

    def _replace(self, partitions: frozenset[TopicPartition], ranges: Mapping[TopicPartition, OffsetRange]) -> None:
        added = (partitions - self.partitions) | ranges.keys()
        self.partitions = partitions
        if added - ranges.keys():
            self._cluster.allow_topic_creation({tp.topic for tp in added - ranges.keys()})
        logger.info("assigned by hand: %s", format_partitions(partitions))
        topic_ids = {tp.topic: wanted.topic_id for tp, wanted in ranges.items() if wanted.topic_id is not None}
        self._fetcher.assign(partitions, added, topic_ids, ranges)
        self._fetcher.release(added)
        if added:
            self._tasks.start(self._look_for(added))

    async def _commit(self, timeout_s: float) -> None:
        if not self._commits:
            return
        try:
            await self._offsets.commit_before_revoking(timeout_s)
        except KafkaNextgenError as error:
            logger.warning("%s given up without a commit: %s", format_partitions(self.partitions), error)

    # ---- partitions that are not there

    async def _look_for(self, added: Collection[TopicPartition]) -> None:
        try:
            await self._cluster.refresh_metadata(topics={tp.topic for tp in added})
        except KafkaNextgenError as transient:  # fetching asks again, until there is an answer
            logger.info("%s not looked up yet: %s", format_partitions(added), transient)
            return
        self._raise_hopeless({tp.topic for tp in added})
        missing = _missing(self._cluster.metadata, self.partitions & set(added))
        if missing:
            logger.warning("%s assigned, but not there yet; waiting", format_partitions(missing))

    def _raise_hopeless(self, topics: Iterable[str]) -> None:
        for name in sorted(topics):
            topic = self._cluster.metadata.topics_by_name.get(name)
            if topic is not None and topic.error in _HOPELESS:
                self._mailbox.post_error(error_from_code(topic.error, f"topic {name} was assigned by hand"))

    def problem(self) -> str | None:
        """Why partitions can't be read, by the known metadata; may be called from any thread."""
        missing = _missing(self._cluster.metadata, self.partitions)
        return f"{format_partitions(missing)} assigned, but not there yet; waiting" if missing else None


def refusal(call: str, partitions: Collection[TopicPartition]) -> MisuseError:
    """The error for mixing ``assign`` and ``subscribe``; ``partitions`` were assigned manually."""
    if call == "subscribe":
        return MisuseError(
            f"{format_partitions(partitions)} assigned by hand: a consumer can either assign() or subscribe(). Call "
            "unsubscribe() first to join the group, or keep using assign()"
        )
    return MisuseError(
        "this consumer has subscribed, so its group decides what it reads. Call unsubscribe() first to assign "
        "partitions by hand, or keep using subscribe()"
    )


def _missing(image: ClusterImage, partitions: Collection[TopicPartition]) -> list[TopicPartition]:
    """The partitions that the known metadata lacks."""
    known = ((tp, image.topics_by_name.get(tp.topic)) for tp in partitions)
    return sorted(tp for tp, topic in known if topic is not None and tp.partition not in topic.partitions)
