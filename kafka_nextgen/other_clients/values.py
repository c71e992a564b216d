"""Values of other clients, converted to this library's.

A function takes a value as written, and returns the value for this library's key, or None to set nothing. It raises
``ValueError`` for a value without a counterpart; error texts put the key before its message.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterable
from typing import Final, cast

from kafka_nextgen.java_config.deserializers import java_deserializer
from kafka_nextgen.lazy_patterns import lazy_pattern
from kafka_nextgen.properties.strategies import STRATEGIES
from kafka_nextgen.properties.value_types import INT32_MAX

__all__ = [
    "CONVERSIONS",
    "endpoint_identification",
    "kilobytes",
    "refresh_interval",
    "token_callback",
    "without_listeners",
]

_LISTENER: Final = lazy_pattern(r"[A-Za-z_]+://")
_NUMBER: Final = lazy_pattern(r"\s*-?[0-9]{1,20}\s*")
_PORT: Final = 9092
_RESETS: Final = {
    "smallest": "earliest",
    "beginning": "earliest",
    "largest": "latest",
    "end": "latest",
    "error": "none",
}
_BOOLEANS: Final = {"1": True, "t": True, "0": False, "f": False}
_ALGORITHMS: Final = {"": "none", "true": "https", "false": "none"}
_UNLIMITED: Final = (-1, 0)


def _number(value: object) -> int | None:
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def bootstrap_servers(value: object) -> object:
    """Remove listener names from servers, and add librdkafka's default port 9092 where there is none."""
    servers = without_listeners(value)
    return tuple(map(_with_port, servers)) if isinstance(servers, tuple) else servers


def without_listeners(value: object) -> object:
    """Remove listener names, such as ``SASL_SSL://``, from servers."""
    if not isinstance(value, str | list | tuple):
        return value
    written = value.split(",") if isinstance(value, str) else value
    return tuple(_LISTENER.sub("", one.strip(), count=1) if isinstance(one, str) else one for one in written)


def _with_port(server: object) -> object:
    if not isinstance(server, str):
        return server
    has_none = server.endswith("]") if server.startswith("[") else re.fullmatch(r"[\w.-]+", server)
    return f"{server}:{_PORT}" if has_none else server


def offset_reset(value: object) -> object:
    """Convert librdkafka's names, and old names, for earliest, latest and none."""
    return _RESETS.get(value.strip().lower(), value) if isinstance(value, str) else value


def boolean(value: object) -> object:
    """Convert librdkafka's 1, t, 0 and f."""
    return value if isinstance(value, bool) else _BOOLEANS.get(str(value).strip().lower(), value)


def bounded(value: object) -> object:
    """Limit a Java long to the maximum time here, 2147483647 ms (24 days)."""
    number = _number(value)
    return value if number is None else min(number, INT32_MAX)


def at_least_one(value: object) -> object:
    """Convert 0 to 1, which brokers treat in the same way."""
    return 1 if _number(value) == 0 else value


def idle_time(value: object) -> object:
    """Convert the values that never close idle connections: -1 (Java), 0 (librdkafka) and infinity (Python)."""
    is_infinite = isinstance(value, float) and math.isinf(value)
    return INT32_MAX if is_infinite or _number(value) in _UNLIMITED else bounded(value)


def commit_interval(value: object) -> object:
    """Refuse 0, which has two meanings."""
    if _number(value) == 0:
        raise ValueError(
            "is 0, which means a commit with each poll in Java and no commits in librdkafka: set 1, or set "
            "enable.auto.commit=false"
        )
    return value


def refresh_interval(value: object) -> object:
    """Convert librdkafka's -1, which means never to refresh."""
    return INT32_MAX if _number(value) == -1 else value


def metadata_age(value: object) -> object:
    """Convert a Java long; 0 becomes 1."""
    return bounded(at_least_one(value))


def kilobytes(value: object) -> object:
    """Convert kilobytes to bytes, at most 2147483647."""
    number = _number(value)
    return value if number is None else min(number * 1024, INT32_MAX)


def endpoint_identification(value: object) -> object:
    """Convert Java's empty value, and kafka-python's ssl_check_hostname."""
    return _ALGORITHMS.get(str(value).strip().lower(), value)


def deserializer(value: object) -> object:
    """Convert the name of one of Kafka's deserializers; keep a Python function or object."""
    return java_deserializer(value) if isinstance(value, str) else value


def strategies(value: object) -> object:
    """Keep names of assignors; convert assignor classes of kafka-python and aiokafka to their names."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        return value
    return tuple(map(_strategy, value))


def _strategy(value: object) -> object:
    name = getattr(value, "name", None)
    return name if not isinstance(value, str) and name in STRATEGIES else value


def token_callback(provider: object) -> object:
    """Convert a token provider of kafka-python or aiokafka to a function for ``oauth.cb``."""
    if not callable(getattr(provider, "token", None)):
        raise ValueError("must be an object with a token() method")

    def token(_config: str) -> object:
        if getattr(provider, "extensions", dict)():
            raise ValueError("the token provider has extensions: return them from a function passed as oauth.cb")
        made = cast(Callable[[], object], provider.token)()  # type: ignore[attr-defined]
        if not inspect.iscoroutine(made):
            return made
        import asyncio  # noqa: TID251  (this function is called in a separate thread)

        return asyncio.run(made)

    return token


_TIMES: Final = (
    "bootstrap.resolve.timeout.ms",
    "metadata.recovery.rebootstrap.trigger.ms",
    "reconnect.backoff.max.ms",
    "reconnect.backoff.ms",
    "retry.backoff.max.ms",
    "retry.backoff.ms",
    "socket.connection.setup.timeout.ms",
)
_SIZES: Final = ("fetch.max.bytes", "fetch.min.bytes", "max.partition.fetch.bytes")
_SWITCHES: Final = (
    "allow.auto.create.topics",
    "check.crcs",
    "enable.auto.commit",
    "enable.ssl.certificate.verification",
    "metadata.cluster.check.enable",
)

#: Conversions for keys that this library and other clients share, by key.
CONVERSIONS: Final[dict[str, Callable[[object], object]]] = {
    "auto.commit.interval.ms": commit_interval,
    "auto.offset.reset": offset_reset,
    "bootstrap.servers": bootstrap_servers,
    "connections.max.idle.ms": idle_time,
    "key.deserializer": deserializer,
    "metadata.max.age.ms": metadata_age,
    "partition.assignment.strategy": strategies,
    "ssl.endpoint.identification.algorithm": endpoint_identification,
    "value.deserializer": deserializer,
    **dict.fromkeys(_TIMES, bounded),
    **dict.fromkeys(_SIZES, at_least_one),
    **dict.fromkeys(_SWITCHES, boolean),
}
