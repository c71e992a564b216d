"""The assignors of the classic protocol in a configuration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from kafka_nextgen.properties.value_types import ValueType

__all__ = ["STRATEGIES", "strategies"]

#: The assignors of the classic protocol, and their names in Kafka's consumer.
STRATEGIES: Mapping[str, str] = MappingProxyType(
    {
        "range": "range",
        "roundrobin": "roundrobin",
        "cooperative-sticky": "cooperative-sticky",
        "org.apache.kafka.clients.consumer.RangeAssignor": "range",
        "org.apache.kafka.clients.consumer.RoundRobinAssignor": "roundrobin",
        "org.apache.kafka.clients.consumer.CooperativeStickyAssignor": "cooperative-sticky",
    }
)
_STRATEGY_WORDS = ", ".join(dict.fromkeys(STRATEGIES.values()))


def _read_strategies(value: object) -> tuple[str, ...]:
    written = value.split(",") if isinstance(value, str) else value
    if not isinstance(written, Iterable):
        raise ValueError(f"must be one or more of {_STRATEGY_WORDS}, not {value!r}")
    words = [str(one).strip() for one in written]
    unknown = [word for word in words if word not in STRATEGIES]
    if unknown or not words:
        raise ValueError(f"must be one or more of {_STRATEGY_WORDS}, not {', '.join(unknown) or 'none'}")
    return tuple(dict.fromkeys(STRATEGIES[word] for word in words))


strategies: ValueType[tuple[str, ...]] = ValueType(f"one or more of {_STRATEGY_WORDS}", _read_strategies)
