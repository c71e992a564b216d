"""Partitions that the application assigns manually, without being a member of a group.

- A new assignment replaces the previous one. Partitions in both are not affected. Before partitions are given up,
  auto-commit commits the offsets of their processed records.
- A partition assigned with a range is given up, and then starts again at the start of the range.
- With ``group.id``, reading starts at the group's committed offsets. Commits have epoch -1 and no member id, because
  they are from a non-member; a coordinator accepts them as long as the group has no members (KIP-848, "OffsetCommit
  API").
- The consumer waits for a partition that does not exist, because it may be created soon; the log and ``problem`` name
  it. With a range it does not wait: fetching raises an error where the application polls. The same error handling
  applies to a topic that this principal may not describe, because waiting would not help.
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
    """The manual assignment; used only on the I/O thread, except for ``partitions`` and ``problem``."""

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
        """Replace the assignment with ``partitions``; a commit before that takes at most ``timeout_s`` seconds."""
        if self.partitions - (partitions - ranges.keys()):
            await self._commit(timeout_s)
        self._replace(partitions, ranges)

    async def give_up(self, timeout_s: float, commits: bool) -> None:
        """Give up all partitions; if ``commits``, commit before that, for at most ``timeout_s`` seconds."""
        if self.partitions and commits:
            await self._commit(timeout_s)
        if self.partitions:
            self._replace(frozenset(), {})

    def _replace(self, partitions: frozenset[TopicPartition], ranges: Mapping[TopicPartition, OffsetRange]) -> None:
        added = (partitions - self.partitions) | ranges.keys()
        self.partitions = partitions
        if added - ranges.keys():
            self._cluster.allow_topic_creation({tp.topic for tp in added - ranges.keys()})
        logger.info("assigned manually: %s", format_partitions(partitions))
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
            logger.warning("%s unassigned without a commit: %s", format_partitions(self.partitions), error)

    # ---- partitions that do not exist

    async def _look_for(self, added: Collection[TopicPartition]) -> None:
        try:
            await self._cluster.refresh_metadata(topics={tp.topic for tp in added})
        except KafkaNextgenError as transient:  # fetching retries until there is an answer
            logger.info("the metadata of %s is not known yet: %s", format_partitions(added), transient)
            return
        self._raise_hopeless({tp.topic for tp in added})
        missing = _missing(self._cluster.metadata, self.partitions & set(added))
        if missing:
            logger.warning("%s assigned, but not created yet; waiting", format_partitions(missing))

    def _raise_hopeless(self, topics: Iterable[str]) -> None:
        for name in sorted(topics):
            topic = self._cluster.metadata.topics_by_name.get(name)
            if topic is not None and topic.error in _HOPELESS:
                self._mailbox.post_error(error_from_code(topic.error, f"topic {name} was assigned manually"))

    def problem(self) -> str | None:
        """Why partitions can't be read, according to the cached metadata; can be called from any thread."""
        missing = _missing(self._cluster.metadata, self.partitions)
        return f"{format_partitions(missing)} assigned, but not created yet; waiting" if missing else None


def refusal(call: str, partitions: Collection[TopicPartition]) -> MisuseError:
    """Return the error for mixing ``assign`` and ``subscribe``; ``partitions`` were assigned manually."""
    if call == "subscribe":
        return MisuseError(
            f"{format_partitions(partitions)} assigned manually: a consumer can either assign() or subscribe(). Call "
            "unsubscribe() first to join the group, or keep using assign()"
        )
    return MisuseError(
        "this consumer has subscribed, so its group decides what it reads. Call unsubscribe() first to assign "
        "partitions manually, or keep using subscribe()"
    )


def _missing(image: ClusterImage, partitions: Collection[TopicPartition]) -> list[TopicPartition]:
    """Return the partitions that are missing from the cached metadata."""
    known = ((tp, image.topics_by_name.get(tp.topic)) for tp in partitions)
    return sorted(tp for tp, topic in known if topic is not None and tp.partition not in topic.partitions)
