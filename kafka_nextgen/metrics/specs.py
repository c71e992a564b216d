"""The specification of each metric (names, unit, meaning, kind), and the samples of a metrics object."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Any, TypeVar

from attrs import Factory, evolve, field, fields

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.metrics.timings import Latency
from kafka_nextgen.types import TopicPartition

__all__ = [
    "MetricKind",
    "MetricSpec",
    "Sample",
    "counter",
    "document_fields",
    "duration",
    "gauge",
    "group_of",
    "labelled",
    "metric_group",
    "metric_groups_by_key",
    "samples",
    "spec_of",
    "specs",
]

T = TypeVar("T")

_SPEC, _GROUP = "kafka_nextgen.metric", "kafka_nextgen.group"


class MetricKind(Enum):
    """The kinds of metrics."""

    COUNTER = "counter"  # only increases while the consumer lives
    GAUGE = "gauge"  # the current value
    LATENCY = "latency"  # a Latency: a counter of milliseconds, and two gauges


@frozen
class MetricSpec:
    """A metric, or a family of metrics by ``labels``.

    ``name`` is its name in ``as_dict``; ``is_kafkas`` says whether Apache Kafka has it with that name. ``unit`` is in
    UCUM.
    """

    name: str
    kind: MetricKind
    unit: str
    meaning: str
    is_kafkas: bool
    labels: tuple[str, ...] = ()


def counter(name: str, unit: str, meaning: str, *, ours: bool = False, labels: str = "", default: object = 0) -> Any:
    """Define a field with a number that only increases; ``ours`` if Apache Kafka has no such metric."""
    return _metric(name, MetricKind.COUNTER, unit, meaning, ours, labels, default)


def gauge(name: str, unit: str, meaning: str, *, ours: bool = False, labels: str = "", default: object = 0) -> Any:
    """Define a field with a current value; ``ours`` if Apache Kafka has no such metric."""
    return _metric(name, MetricKind.GAUGE, unit, meaning, ours, labels, default)


def duration(name: str, meaning: str, *, ours: bool = False) -> Any:
    """Define a field with durations; ``ours`` if Apache Kafka has no such metric."""
    return _metric(name, MetricKind.LATENCY, "ms", meaning, ours, "", Latency)


def _metric(name: str, kind: MetricKind, unit: str, meaning: str, ours: bool, labels: str, default: object) -> Any:
    spec = MetricSpec(name, kind, unit, meaning, not ours, tuple(labels.split()))
    return field(default=Factory(default) if callable(default) else default, metadata={_SPEC: spec})


def metric_group(group: type[object]) -> Any:
    """Define a field with a group of metrics."""
    return field(factory=group, metadata={_GROUP: group})


def metric_groups_by_key(group: type[object]) -> Any:
    """Define a field with a group of metrics for each topic or partition."""
    return field(factory=dict, metadata={_GROUP: group})


def spec_of(attribute: Any) -> MetricSpec | None:
    """Return the specification of a field; None if it has no single metric."""
    spec: MetricSpec | None = attribute.metadata.get(_SPEC)
    return spec


def group_of(attribute: Any) -> type[object] | None:
    """Return the class of the groups in a field; None if it has none."""
    group: type[object] | None = attribute.metadata.get(_GROUP)
    return group


def labelled(*labels: str) -> Callable[[type, list[Any]], list[Any]]:
    """Return a ``field_transformer`` of attrs that gives all metrics of a class these labels."""

    def transform(group: type, attributes: list[Any]) -> list[Any]:
        specs = [evolve(attribute.metadata[_SPEC], labels=labels) for attribute in attributes]
        return [each.evolve(metadata={_SPEC: spec}) for each, spec in zip(attributes, specs, strict=True)]

    return transform


def document_fields(group: type[T]) -> type[T]:
    """Add the fields' meanings to a group's docstring."""
    specs = {attribute.name: spec_of(attribute) for attribute in fields(group)}  # type: ignore[arg-type]
    lines = [f"    {name}: {spec.meaning} ({_names(spec)})." for name, spec in specs.items() if spec is not None]
    group.__doc__ = f"{group.__doc__}\n\n" + "\n".join(lines)
    return group


def _names(spec: MetricSpec) -> str:
    if spec.kind is MetricKind.LATENCY:
        names = f"{spec.name}-total, -avg and -max, ms"
    else:
        names = f"{spec.name}, {spec.kind.value}, {spec.unit}"
    return names if spec.is_kafkas else f"{names}, not one of Kafka's"


@frozen
class Sample:
    """One number; ``labels`` has the values of the specification's labels in order."""

    spec: MetricSpec
    labels: tuple[str, ...]
    value: float

    def __str__(self) -> str:
        pairs = ",".join(f'{name}="{value}"' for name, value in zip(self.spec.labels, self.labels, strict=True))
        return f"{self.spec.name}{{{pairs}}}" if pairs else self.spec.name


def samples(group: object, labels: tuple[str, ...] = ()) -> Iterator[Sample]:
    """Yield all known numbers of a group and of its subgroups."""
    for attribute in fields(type(group)):  # type: ignore[arg-type]
        spec, value = spec_of(attribute), getattr(group, attribute.name)
        if spec is not None:
            yield from _samples_of(spec, labels, value)
        elif group_of(attribute) is None:
            continue
        elif isinstance(value, Mapping):
            for key, part in value.items():
                yield from samples(part, _labels(key))
        else:
            yield from samples(value)


def specs(group: type[object]) -> Iterator[MetricSpec]:
    """Yield the specifications of a group and of its subgroups."""
    for attribute in fields(group):  # type: ignore[arg-type]
        spec, part = spec_of(attribute), group_of(attribute)
        if spec is not None:
            yield from _specs_of_parts(spec).values()
        elif part is not None:
            yield from specs(part)


def _labels(key: str | TopicPartition) -> tuple[str, ...]:
    return (key.topic, str(key.partition)) if isinstance(key, TopicPartition) else (key,)


def _samples_of(spec: MetricSpec, labels: tuple[str, ...], value: Any) -> Iterator[Sample]:
    if isinstance(value, Latency):
        for name, part in _specs_of_parts(spec).items():
            yield from _samples_of(part, labels, getattr(value, name))
    elif isinstance(value, Mapping):
        for label, number in value.items():
            yield Sample(spec, (*labels, label), number)
    elif value is not None:
        yield Sample(spec, labels, int(value) if isinstance(value, bool) else value)


def _specs_of_parts(spec: MetricSpec) -> dict[str, MetricSpec]:
    """Return the specifications of a Latency's fields, or of a single number."""
    if spec.kind is not MetricKind.LATENCY:
        return {"": spec}
    meanings = {
        "total_ms": ("total", MetricKind.COUNTER, "in all"),
        "avg_ms": ("avg", MetricKind.GAUGE, "on average in the last 30 to 60 s"),
        "max_ms": ("max", MetricKind.GAUGE, "at most in the last 30 to 60 s"),
    }
    return {
        name: evolve(spec, name=f"{spec.name}-{suffix}", kind=kind, meaning=f"{spec.meaning}; {how}")
        for name, (suffix, kind, how) in meanings.items()
    }
