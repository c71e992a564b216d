"""The consumer as a rebalance listener sees it: only what is safe in a callback, and only while it runs.

A listener may also use the consumer itself, except for what would wait for the callback that it is called from.
Who is in a callback is known by a context variable, so that tasks which a callback awaits count as part of it.
"""

from __future__ import annotations

from collections.abc import Collection
from contextvars import ContextVar, Token
from types import TracebackType

from kafka_nextgen.engine.application.arguments import Offsets, checked_seconds
from kafka_nextgen.engine.application.core import ConsumerCore
from kafka_nextgen.engine.application.waiting import answer, answer_to
from kafka_nextgen.errors import MisuseError
from kafka_nextgen.offset_reset import OffsetReset
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = ["AsyncRebalanceConsumer", "RebalanceConsumer", "is_in_callback"]


class _View:
    """What both views can do without waiting."""

    def __init__(self, core: ConsumerCore) -> None:
        self._core = core
        self._expired = False
        self._token: Token[_View | None] | None = None

    def __enter__(self) -> None:
        self._token = _current.set(self)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._expired = True
        assert self._token is not None
        _current.reset(self._token)

    def _is_for(self, core: ConsumerCore) -> bool:
        return self._core is core and not self._expired and core.is_in_callback

    def _alive(self) -> ConsumerCore:
        if self._expired:
            raise MisuseError("this view of the consumer ended with the rebalance callback it was made for")
        return self._core

    def _limit_s(self, timeout: float | None) -> float:
        return self._core.config.default_api_timeout_ms / 1000 if timeout is None else checked_seconds(timeout)

    def assignment(self) -> frozenset[TopicPartition]:
        """The partitions this member owns now."""
        return self._alive().fetches.assignment()

    def seek(self, partition: TopicPartition, offset: int | OffsetAndMetadata) -> None:
        """Go on reading ``partition`` at ``offset``; raises MisuseError if it is not assigned."""
        self._alive().seek(partition, offset)

    def seek_to_beginning(self, partitions: Collection[TopicPartition]) -> None:
        """Go on reading at the first offset there is."""
        self._alive().seek_to(partitions, OffsetReset.EARLIEST)

    def seek_to_end(self, partitions: Collection[TopicPartition]) -> None:
        """Go on reading behind the last record there is."""
        self._alive().seek_to(partitions, OffsetReset.LATEST)

    def pause(self, partitions: Collection[TopicPartition]) -> None:
        """Hand out no record of ``partitions`` until they are resumed."""
        self._alive().pause(partitions)

    def resume(self, partitions: Collection[TopicPartition]) -> None:
        """Undo ``pause``."""
        self._alive().resume(partitions)

    def paused(self) -> frozenset[TopicPartition]:
        """The partitions that are paused."""
        return self._alive().fetches.paused()


_current: ContextVar[_View | None] = ContextVar("kafka_nextgen_rebalance_view", default=None)


def is_in_callback(core: ConsumerCore) -> bool:
    """Whether the caller is inside a rebalance callback of this consumer."""
    view = _current.get()
    return view is not None and view._is_for(core)  # noqa: SLF001  (of this very file)


class RebalanceConsumer(_View):
    """What a ``RebalanceListener`` may do while one of its methods runs."""

    def commit(self, offsets: Offsets | None = None, timeout: float | None = None) -> None:
        """Commit ``offsets``, or what was handed over; ``timeout`` in seconds (default.api.timeout.ms).

        Raises CommitFailedError, or RequestTimeoutError when the time is over.
        """
        limit_s = self._limit_s(timeout)
        answer(self._alive().commit(offsets, limit_s), limit_s)

    def position(self, partition: TopicPartition, timeout: float | None = None) -> int:
        """The offset of the next record of ``partition``; waits while it is being looked up.

        Raises MisuseError if it is not assigned, or RequestTimeoutError when the time is over.
        """
        limit_s = self._limit_s(timeout)
        return answer(self._alive().find_position(partition, limit_s), limit_s)


class AsyncRebalanceConsumer(_View):
    """What an ``AsyncRebalanceListener`` may do while one of its methods runs."""

    async def commit(self, offsets: Offsets | None = None, timeout: float | None = None) -> None:
        """Commit ``offsets``, or what was handed over; ``timeout`` in seconds (default.api.timeout.ms).

        Raises CommitFailedError, or RequestTimeoutError when the time is over.
        """
        await answer_to(self._alive().commit(offsets, self._limit_s(timeout)))

    async def position(self, partition: TopicPartition, timeout: float | None = None) -> int:
        """The offset of the next record of ``partition``; waits while it is being looked up.

        Raises MisuseError if it is not assigned, or RequestTimeoutError when the time is over.
        """
        return await answer_to(self._alive().find_position(partition, self._limit_s(timeout)))
