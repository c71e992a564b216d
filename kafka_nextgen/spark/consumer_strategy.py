"""The topics or partitions that a query reads: ``subscribe``, ``subscribePattern`` or ``assign``, exactly one of them.

The driver matches a pattern against the names of all topics that are not internal:

=================  =====================  ===============================================================
``patternSyntax``  language               match
=================  =====================  ===============================================================
``java``           regular expressions    anywhere in the name, as with the built-in source;
(the default)      of Java                see ``java_regex`` for what is not supported
``re2``            RE2                    the whole name, as a group coordinator matches a subscription
=================  =====================  ===============================================================
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias, cast

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.properties.patterns import half_anchor_advice, matching
from kafka_nextgen.properties.re2j import google_complaint, is_google_re2_installed
from kafka_nextgen.spark.java_regex import compile_java_pattern
from kafka_nextgen.spark.offsets import parse_partitions
from kafka_nextgen.spark.option_values import OptionValues
from kafka_nextgen.types import TopicPartition, topic_name_complaint

__all__ = [
    "AssignStrategy",
    "ConsumerStrategy",
    "PatternSyntax",
    "SubscribePatternStrategy",
    "SubscribeStrategy",
    "named_topics",
    "read_strategy",
    "strategy_warnings",
]

PatternSyntax = Literal["java", "re2"]

_OPTIONS = ("subscribe", "subscribePattern", "assign")


@frozen
class SubscribeStrategy:
    """All partitions of these topics, including later ones; without duplicates, in the order written."""

    topics: tuple[str, ...]


@frozen
class SubscribePatternStrategy:
    """All partitions of the topics that match a pattern, including later topics."""

    pattern: str
    syntax: PatternSyntax = "java"

    def matching(self, topics: Iterable[str]) -> tuple[str, ...]:
        """Return the topics that match, sorted."""
        if self.syntax == "re2":
            return matching(self.pattern, topics)
        compiled = compile_java_pattern(self.pattern)
        return tuple(sorted(topic for topic in topics if compiled.search(topic)))


@frozen
class AssignStrategy:
    """These partitions, sorted."""

    partitions: tuple[TopicPartition, ...]


ConsumerStrategy: TypeAlias = SubscribeStrategy | SubscribePatternStrategy | AssignStrategy


def read_strategy(values: OptionValues) -> ConsumerStrategy:
    """Return the strategy of the options. Raises ``ConfigError`` unless exactly one of the three is given and valid."""
    given = [option for option in _OPTIONS if option in values]
    if len(given) != 1:
        found = "none is given" if not given else f"{' and '.join(given)} are given"
        raise ConfigError(f"exactly one of {', '.join(_OPTIONS)} is required: {found}", (given or _OPTIONS)[0])
    text = values.text(given[0]) or ""
    if given == ["subscribe"]:
        return _subscribe(text)
    if given == ["assign"]:
        return AssignStrategy(parse_partitions(text))
    return _subscribe_pattern(text, cast(PatternSyntax, values.word("patternSyntax", ("java", "re2"), "java")))


def named_topics(strategy: ConsumerStrategy) -> tuple[str, ...]:
    """Return the topics that a strategy names; none for a pattern."""
    if isinstance(strategy, SubscribePatternStrategy):
        return ()
    if isinstance(strategy, SubscribeStrategy):
        return strategy.topics
    return tuple(dict.fromkeys(each.topic for each in strategy.partitions))


def strategy_warnings(strategy: ConsumerStrategy) -> tuple[str, ...]:
    """Return warnings about patterns that may be mistakes."""
    if isinstance(strategy, SubscribePatternStrategy) and strategy.syntax == "re2":
        advice = half_anchor_advice(strategy.pattern)
        return () if advice is None else (f"subscribePattern: {advice}",)
    return ()


def _subscribe(text: str) -> SubscribeStrategy:
    topics = tuple(dict.fromkeys(topic.strip() for topic in text.split(",") if topic.strip()))
    if not topics:
        raise ConfigError(f"subscribe must name topics, separated by commas, not {text!r}", "subscribe")
    for topic in topics:
        if complaint := topic_name_complaint(topic):
            raise ConfigError(f"subscribe: {complaint}", "subscribe")
    return SubscribeStrategy(topics)


def _subscribe_pattern(text: str, syntax: PatternSyntax) -> SubscribePatternStrategy:
    if not text:
        raise ConfigError("subscribePattern is empty", "subscribePattern")
    if syntax == "java":
        compile_java_pattern(text)
    elif not is_google_re2_installed():
        raise ConfigError("patternSyntax re2 needs google-re2, which is not installed: use java", "patternSyntax")
    elif complaint := google_complaint(text):
        raise ConfigError(f"subscribePattern {text!r} is not valid RE2: {complaint}", "subscribePattern")
    return SubscribePatternStrategy(text, syntax)
