"""The operations of Kafka's ACLs. A group description lists those that the client may perform (KIP-430)."""

from __future__ import annotations

from collections.abc import Collection
from enum import IntEnum

__all__ = ["AclOperation", "operations_of"]


class AclOperation(IntEnum):
    """An operation that ACLs allow or deny; the numbers are Kafka's.

    Groups have READ (join and commit), DESCRIBE, DELETE, and from Kafka 4.0 on DESCRIBE_CONFIGS and ALTER_CONFIGS.
    """

    READ = 3
    WRITE = 4
    CREATE = 5
    DELETE = 6
    ALTER = 7
    DESCRIBE = 8
    CLUSTER_ACTION = 9
    DESCRIBE_CONFIGS = 10
    ALTER_CONFIGS = 11
    IDEMPOTENT_WRITE = 12
    CREATE_TOKENS = 13
    DESCRIBE_TOKENS = 14
    TWO_PHASE_COMMIT = 15


_KNOWN = {int(operation): operation for operation in AclOperation}


def operations_of(numbers: Collection[int] | None) -> frozenset[AclOperation] | None:
    """Return the operations with these numbers; None if the broker gave none.

    As in Java's client, numbers that are not single operations, or not known yet, are left out.
    """
    return None if numbers is None else frozenset(_KNOWN[number] for number in numbers if number in _KNOWN)
