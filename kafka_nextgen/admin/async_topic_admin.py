"""``AsyncTopicAdmin``: topics, for the command line. Applications use the admin client of their producer library."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from kafka_nextgen.admin import topics
from kafka_nextgen.admin.arguments import checked_names
from kafka_nextgen.admin.async_admin import AsyncAdmin

if TYPE_CHECKING:
    from kafka_nextgen.admin.topics import TopicDetails
    from kafka_nextgen.admin.values import Results
    from kafka_nextgen.requests.create_topics import CreatedTopic, NewTopic
    from kafka_nextgen.requests.describe_topics import DescribedTopic
    from kafka_nextgen.types import TopicId

__all__ = ["AsyncTopicAdmin"]


class AsyncTopicAdmin(AsyncAdmin):
    """The topics of one cluster. Timeouts and errors are as in ``AsyncGroupAdmin``."""

    async def list(self, timeout: float | None = None) -> tuple[DescribedTopic, ...]:
        """Return all topics that this client may describe, internal ones included."""
        return await topics.list_topics(await self._begin("listing topics", timeout))

    async def describe(self, names: Collection[str], timeout: float | None = None) -> Results[str, TopicDetails]:
        """Describe these topics; BrokerError (UNKNOWN_TOPIC_OR_PARTITION) for a topic that does not exist."""
        checked = checked_names("topics", names)
        return await topics.describe(await self._begin("describing topics", timeout), checked)

    async def create(
        self, new: Sequence[NewTopic], *, validate_only: bool = False, timeout: float | None = None
    ) -> Results[str, CreatedTopic]:
        """Create these topics, or with ``validate_only`` only let the broker check whether they can be created."""
        call = await self._begin("creating topics", timeout)
        return await topics.create(call, new, validate_only=validate_only)

    async def delete(self, doomed: Mapping[str, TopicId | None], timeout: float | None = None) -> Results[str, None]:
        """Delete these topics, by their ids if they are given."""
        return await topics.delete(await self._begin("deleting topics", timeout), doomed)
