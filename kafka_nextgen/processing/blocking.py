"""Runs ``Runner``, which awaits its calls, with the blocking calls of ``Consumer``.

Awaiting these calls never suspends the coroutine: each call blocks until it has its result.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from kafka_nextgen.engine.application.rebalance_listener import RebalanceConsumer, RebalanceListener

if TYPE_CHECKING:
    from kafka_nextgen.engine.application.arguments import Topics
    from kafka_nextgen.processing.consumers import ConsumerToRun
    from kafka_nextgen.processing.runner import Runner
    from kafka_nextgen.types import TopicPartition

__all__ = ["BlockingConsumer", "BlockingRebalanceConsumer", "run_blocking"]

P = ParamSpec("P")
T = TypeVar("T")


def run_blocking(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that only awaits blocking calls, and return its result."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    raise AssertionError("blocking calls never suspend a coroutine")


class BlockingConsumer:
    """Adapts ``Consumer`` to the interface of ``AsyncConsumer``."""

    def __init__(self, consumer: ConsumerToRun) -> None:
        self._consumer = consumer
        self.assignment = consumer.assignment
        self._positions = consumer._positions  # noqa: SLF001
        self.poll = _awaitable(consumer.poll)
        self.pause = _awaitable(consumer.pause)
        self.resume = _awaitable(consumer.resume)
        self.seek = _awaitable(consumer.seek)
        self.commit = _awaitable(consumer.commit)
        self.commit_async = consumer.commit_async

    async def subscribe(self, topics: Topics, listener: Runner | None = None) -> None:
        """Read ``topics`` as a member of the group."""
        self._consumer.subscribe(topics, None if listener is None else _BlockingListener(listener))


class BlockingRebalanceConsumer:
    """Gives ``RebalanceConsumer`` the ``commit`` of ``AsyncRebalanceConsumer``."""

    def __init__(self, consumer: RebalanceConsumer) -> None:
        self.commit = _awaitable(consumer.commit)


class _BlockingListener(RebalanceListener):
    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    def on_partitions_revoked(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        run_blocking(self._runner.on_partitions_revoked(BlockingRebalanceConsumer(consumer), partitions))

    def on_partitions_lost(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        run_blocking(self._runner.on_partitions_lost(BlockingRebalanceConsumer(consumer), partitions))


def _awaitable(function: Callable[P, T]) -> Callable[P, Awaitable[T]]:
    async def call(*args: P.args, **kwargs: P.kwargs) -> T:
        return function(*args, **kwargs)

    return call
