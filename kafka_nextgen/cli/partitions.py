"""Parse sets of partitions in commands and files: ``orders[0-3,7] audit[0]``.

``kafka_nextgen.types.format_partitions`` writes this notation; ``-`` and ``orders[]`` mean no partitions.
"""

from __future__ import annotations

from collections.abc import Iterable

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.lazy_patterns import lazy_pattern
from kafka_nextgen.types import TopicPartition

__all__ = ["NotationError", "parse_partitions", "parse_selections"]

_TOPIC = lazy_pattern(r"[\w.-]+")
_PARTITIONS = lazy_pattern(r"(?P<topic>[\w.-]+)\[(?P<runs>(?:\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*)?)\]")


class NotationError(ConfigError):
    """The text is not valid notation."""


def parse_partitions(text: str) -> frozenset[TopicPartition]:
    """Read ``orders[0-3,7] audit[0]``. Raises ``NotationError``."""
    words = [] if text == "-" else text.split()
    return frozenset(partition for word in words for partition in _parse_topic(word))


def parse_selections(words: Iterable[str]) -> frozenset[str | TopicPartition]:
    """Read ``orders``, a whole topic, and ``orders[0-3,7]``, some of its partitions. Raises ``NotationError``."""
    found: set[str | TopicPartition] = set()
    for word in words:
        found.update([word] if _TOPIC.fullmatch(word) else _parse_topic(word))
    return frozenset(found)


def _parse_topic(word: str) -> list[TopicPartition]:
    match = _PARTITIONS.fullmatch(word)
    if match is None:
        raise NotationError(f"{word!r} is not a set of partitions: write orders[0-3,7], or - for none")
    found = []
    for run in filter(None, match["runs"].split(",")):
        low, _, high = run.partition("-")
        found += [TopicPartition(match["topic"], number) for number in range(int(low), int(high or low) + 1)]
    return found
