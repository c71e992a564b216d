"""Which topics and partitions a query reads: ``subscribe``, ``subscribePattern`` or ``assign``, exactly one of them.

A pattern is matched in the driver, against the names of all topics that are not internal:

=================  =====================  ===============================================================
``patternSyntax``  language               match
=================  =====================  ===============================================================
``java``           regular expressions    anywhere in the name, as the built-in source finds them;
(the default)      of Java                ``java_regex`` says what Python can't match alike
``re2``            RE2                    the whole name, as a group coordinator matches a subscription
=================  =====================  ===============================================================
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias, cast

from attrs import frozen

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.patterns import half_anchor_advice, matching, re2_complaint
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
    "read_strategy",
    "strategy_warnings",
]

PatternSyntax = Literal["java", "re2"]

_OPTIONS = ("subscribe", "subscribePattern", "assign")


@frozen
class SubscribeStrategy:
    """All partitions of these topics, those to come included; without duplicates, in the order written."""

    topics: tuple[str, ...]


@frozen
class SubscribePatternStrategy:
    """All partitions of the topics that a pattern finds, topics to come included."""

    pattern: str
    syntax: PatternSyntax = "java"

    def matching(self, topics: Iterable[str]) -> tuple[str, ...]:
        """Those of ``topics`` that the pattern finds, sorted. The caller leaves internal topics out."""
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
    """Read which topics to read.

    Raises ``ConfigError`` unless exactly one of the three options is given and can be read.
    """
    given = [option for option in _OPTIONS if option in values]
    if len(given) != 1:
        found = "none is given" if not given else f"{' and '.join(given)} are given"
        raise ConfigError(f"exactly one of {', '.join(_OPTIONS)} has to be given: {found}", (given or _OPTIONS)[0])
    text = values.text(given[0]) or ""
    if given == ["subscribe"]:
        return _subscribe(text)
    if given == ["assign"]:
        return AssignStrategy(parse_partitions(text))
    return _subscribe_pattern(text, cast(PatternSyntax, values.word("patternSyntax", ("java", "re2"), "java")))


def strategy_warnings(strategy: ConsumerStrategy) -> tuple[str, ...]:
    """What may not be meant as it is written."""
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
    elif complaint := re2_complaint(text):
        raise ConfigError(f"subscribePattern {text!r} is not valid RE2: {complaint}", "subscribePattern")
    return SubscribePatternStrategy(text, syntax)
