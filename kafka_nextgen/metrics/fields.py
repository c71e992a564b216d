"""What is known of each number beside its value: its names, its unit, its meaning, and whether it only grows."""

from __future__ import annotations

from enum import Enum
from typing import Any, TypeVar

from attrs import Factory, field, fields, frozen

__all__ = ["Kind", "MetricSpec", "described", "group_of", "metric", "one", "one_for_each", "spec_of"]

T = TypeVar("T")

_SPEC, _GROUP = "kafka_nextgen.metric", "kafka_nextgen.group"


class Kind(Enum):
    """How the number behaves."""

    COUNTER = "counter"  # only grows, as long as the consumer lives
    GAUGE = "gauge"  # as it is now
    LATENCY = "latency"  # a Latency: a counter of milliseconds, and two gauges


@frozen
class MetricSpec:
    """One number, or one family of numbers by ``labels``.

    ``name`` is the name in ``as_dict``; ``is_kafkas`` says that a consumer of Apache Kafka has it under that name.
    ``unit`` is written as in UCUM.
    """

    name: str
    kind: Kind
    unit: str
    meaning: str
    is_kafkas: bool
    labels: tuple[str, ...] = ()


def metric(
    name: str, kind: Kind, unit: str, meaning: str, *, ours: bool = False, default: object = 0, labels: str = ""
) -> Any:
    """A field that holds one number; ``ours`` if Apache Kafka has no such name."""
    spec = MetricSpec(name, kind, unit, meaning, not ours, tuple(labels.split()))
    return field(default=Factory(default) if callable(default) else default, metadata={_SPEC: spec})


def one(group: type[object]) -> Any:
    """A field that holds a group of numbers."""
    return field(factory=group, metadata={_GROUP: group})


def one_for_each(group: type[object]) -> Any:
    """A field that holds such a group for each topic, or each partition."""
    return field(factory=dict, metadata={_GROUP: group})


def spec_of(attribute: Any) -> MetricSpec | None:
    """What ``metric`` said of a field; None if it holds groups."""
    spec: MetricSpec | None = attribute.metadata.get(_SPEC)
    return spec


def group_of(attribute: Any) -> type[object] | None:
    """The kind of group that a field holds; None if it holds no numbers."""
    group: type[object] | None = attribute.metadata.get(_GROUP)
    return group


def described(group: type[T]) -> type[T]:
    """Add to a group's docstring what its fields say of themselves."""
    specs = {attribute.name: spec_of(attribute) for attribute in fields(group)}  # type: ignore[arg-type]
    lines = [f"    {name}: {spec.meaning} ({_names(spec)})." for name, spec in specs.items() if spec is not None]
    group.__doc__ = f"{group.__doc__}\n\n" + "\n".join(lines)
    return group


def _names(spec: MetricSpec) -> str:
    if spec.kind is Kind.LATENCY:
        names = f"{spec.name}-total, -avg and -max, ms"
    else:
        names = f"{spec.name}, {spec.kind.value}, {spec.unit}"
    return names if spec.is_kafkas else f"{names}, not one of Kafka's"
