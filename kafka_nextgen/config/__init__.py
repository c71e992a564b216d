"""The configuration of a consumer: Kafka's keys, with dots or in snake_case.

Each attribute of ``ConsumerConfig`` is a key, with the type of its value, its default and its documentation. ``KEYS``
is a mapping with the same information. Unknown keys, invalid values and contradictions raise ``ConfigError``: nothing
is silently ignored.

``keys`` declares the keys, ``reading`` parses keys and values, and ``contradictions`` has rules that involve several
keys.
"""

from __future__ import annotations

from kafka_nextgen.config.consumer_config import ConsumerConfig, migrated_config
from kafka_nextgen.config.keys import FORBIDDEN, KEYS, Key
from kafka_nextgen.properties.offset_reset import ByDuration, OffsetReset
from kafka_nextgen.properties.value_types import GroupProtocol, IsolationLevel, RecoveryStrategy, SecurityProtocol

__all__ = [
    "FORBIDDEN",
    "KEYS",
    "ByDuration",
    "ConsumerConfig",
    "GroupProtocol",
    "IsolationLevel",
    "Key",
    "OffsetReset",
    "RecoveryStrategy",
    "SecurityProtocol",
    "migrated_config",
]
