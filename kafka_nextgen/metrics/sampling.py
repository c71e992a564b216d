"""A value made of metrics as single numbers, each with its name and labels, for whoever hands them on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import evolve, fields, frozen

from kafka_nextgen.metrics.fields import Kind, MetricSpec, group_of, spec_of
from kafka_nextgen.metrics.timings import Latency
from kafka_nextgen.types import TopicPartition

__all__ = ["Sample", "samples", "specs"]


@frozen
class Sample:
    """One number; ``labels`` are in the order of the spec's."""

    spec: MetricSpec
    labels: tuple[str, ...]
    value: float

    def __str__(self) -> str:
        pairs = ",".join(f'{name}="{value}"' for name, value in zip(self.spec.labels, self.labels, strict=True))
        return f"{self.spec.name}{{{pairs}}}" if pairs else self.spec.name


def samples(group: object, labels: tuple[str, ...] = ()) -> Iterator[Sample]:
    """Every number of a group that is known, and of the groups in it."""
    for attribute in fields(type(group)):  # type: ignore[arg-type]
        spec, value = spec_of(attribute), getattr(group, attribute.name)
        if spec is not None:
            yield from _of_value(spec, labels, value)
        elif group_of(attribute) is None:
            continue
        elif isinstance(value, Mapping):
            for key, part in value.items():
                yield from samples(part, _labels(key))
        else:
            yield from samples(value)


def specs(group: type[object]) -> Iterator[MetricSpec]:
    """What numbers there are in a group and the groups in it, known or not."""
    for attribute in fields(group):  # type: ignore[arg-type]
        spec, part = spec_of(attribute), group_of(attribute)
        if spec is not None:
            yield from _parts(spec).values()
        elif part is not None:
            yield from specs(part)


def _labels(key: str | TopicPartition) -> tuple[str, ...]:
    return (key.topic, str(key.partition)) if isinstance(key, TopicPartition) else (key,)


def _of_value(spec: MetricSpec, labels: tuple[str, ...], value: Any) -> Iterator[Sample]:
    if isinstance(value, Latency):
        for name, part in _parts(spec).items():
            yield from _of_value(part, labels, getattr(value, name))
    elif isinstance(value, Mapping):
        for label, number in value.items():
            yield Sample(spec, (*labels, label), number)
    elif value is not None:
        yield Sample(spec, labels, int(value) if isinstance(value, bool) else value)


def _parts(spec: MetricSpec) -> dict[str, MetricSpec]:
    """The numbers of a Latency by its fields, or the one number there is."""
    if spec.kind is not Kind.LATENCY:
        return {"": spec}
    meanings = {
        "total_ms": ("total", Kind.COUNTER, "in all"),
        "avg_ms": ("avg", Kind.GAUGE, "on average in the last 30 to 60 s"),
        "max_ms": ("max", Kind.GAUGE, "at most in the last 30 to 60 s"),
    }
    return {
        name: evolve(spec, name=f"{spec.name}-{suffix}", kind=kind, meaning=f"{spec.meaning}; {how}")
        for name, (suffix, kind, how) in meanings.items()
    }
