"""Which records of transactions are asked for, as Kafka numbers it in Fetch and ListOffsets (KIP-98)."""

from __future__ import annotations

from kafka_nextgen.properties import IsolationLevel

__all__ = ["ISOLATION_LEVELS", "READ_COMMITTED", "READ_UNCOMMITTED", "number_of"]

#: The isolation level of clients that read records of open and aborted transactions, too.
READ_UNCOMMITTED = 0
#: The isolation level of clients that do not.
READ_COMMITTED = 1
#: All there are; a request with another can't be served.
ISOLATION_LEVELS = (READ_UNCOMMITTED, READ_COMMITTED)


def number_of(level: IsolationLevel) -> int:
    """Kafka's number of a level."""
    return READ_COMMITTED if level is IsolationLevel.READ_COMMITTED else READ_UNCOMMITTED
