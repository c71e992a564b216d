"""The tables of all other clients, and the origin of each key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kafka_nextgen.other_clients.fates import Fate, Table
from kafka_nextgen.other_clients.java_keys import JAVA_TABLE
from kafka_nextgen.other_clients.librdkafka_keys import LIBRDKAFKA_TABLE
from kafka_nextgen.other_clients.python_keys import PYTHON_TABLE
from kafka_nextgen.other_clients.shared_keys import PREFIXES, PRODUCER_TABLE

__all__ = ["FATES", "TABLES", "fate_of", "origin_of"]

#: The tables, by client.
TABLES: Final[Mapping[str, Table]] = {
    "Java's consumer": JAVA_TABLE,
    "librdkafka": LIBRDKAFKA_TABLE,
    "kafka-python or aiokafka": PYTHON_TABLE,
    "producers": PRODUCER_TABLE,
}

FATES: Final[Table] = {key: fate for table in TABLES.values() for key, fate in table.items()}


def fate_of(key: str) -> Fate | None:
    """Return what happens to a key, written with dots; None if no client has it."""
    by_prefix = (fate for prefix, fate in PREFIXES if key.startswith(prefix))
    return FATES.get(key) or next(by_prefix, None)


def origin_of(key: str) -> str:
    """Return the client that has a key."""
    return next((client for client, table in TABLES.items() if key in table), "Schema Registry")
