"""The enums of Kafka's ACLs (KIP-11, KIP-290), with their numbers on the wire, and the rights that handlers ask for.

A right is to an operation on resources of a type.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Final

from attrs import frozen

from kafka_nextgen.codes import ErrorCode

__all__ = [
    "ACT_FOR_CLUSTER",
    "ALTER_CLUSTER",
    "ALTER_CLUSTER_CONFIGS",
    "ALTER_GROUP_CONFIGS",
    "ALTER_TOPIC",
    "ALTER_TOPIC_CONFIGS",
    "AUTHORIZATION_ERRORS",
    "CLUSTER_NAME",
    "CREATE_IN_CLUSTER",
    "CREATE_TOPIC",
    "DELETE_GROUP",
    "DELETE_TOPIC",
    "DESCRIBE_CLUSTER",
    "DESCRIBE_CLUSTER_CONFIGS",
    "DESCRIBE_GROUP",
    "DESCRIBE_GROUP_CONFIGS",
    "DESCRIBE_TOPIC",
    "DESCRIBE_TOPIC_CONFIGS",
    "DESCRIBE_TRANSACTIONAL_ID",
    "READ_GROUP",
    "READ_TOPIC",
    "SUPPORTED",
    "WRITE_IDEMPOTENTLY",
    "WRITE_TOPIC",
    "WRITE_TRANSACTIONAL_ID",
    "Operation",
    "PatternType",
    "PermissionType",
    "ResourceType",
    "Right",
]

#: The name of the only resource of type CLUSTER.
CLUSTER_NAME: Final = "kafka-cluster"


class ResourceType(IntEnum):
    """What a rule is about. ANY is for filters."""

    ANY = 1
    TOPIC = 2
    GROUP = 3
    CLUSTER = 4
    TRANSACTIONAL_ID = 5


class PatternType(IntEnum):
    """How a rule's name matches. ANY and MATCH are for filters: MATCH selects all rules that apply to a name."""

    ANY = 1
    MATCH = 2
    LITERAL = 3
    PREFIXED = 4


class Operation(IntEnum):
    """An operation. ANY is for filters, ALL for rules."""

    ANY = 1
    ALL = 2
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


class PermissionType(IntEnum):
    """Whether a rule allows or denies. ANY is for filters."""

    ANY = 1
    DENY = 2
    ALLOW = 3


#: The operations on resources of each type.
SUPPORTED: Final[Mapping[ResourceType, frozenset[Operation]]] = {
    ResourceType.TOPIC: frozenset(
        {
            Operation.READ,
            Operation.WRITE,
            Operation.CREATE,
            Operation.DELETE,
            Operation.ALTER,
            Operation.DESCRIBE,
            Operation.DESCRIBE_CONFIGS,
            Operation.ALTER_CONFIGS,
        }
    ),
    ResourceType.GROUP: frozenset(
        {
            Operation.READ,
            Operation.DELETE,
            Operation.DESCRIBE,
            Operation.DESCRIBE_CONFIGS,
            Operation.ALTER_CONFIGS,
        }
    ),
    ResourceType.CLUSTER: frozenset(
        {
            Operation.CREATE,
            Operation.ALTER,
            Operation.DESCRIBE,
            Operation.CLUSTER_ACTION,
            Operation.DESCRIBE_CONFIGS,
            Operation.ALTER_CONFIGS,
            Operation.IDEMPOTENT_WRITE,
        }
    ),
    ResourceType.TRANSACTIONAL_ID: frozenset({Operation.WRITE, Operation.DESCRIBE}),
}

#: The error for clients that lack a right.
AUTHORIZATION_ERRORS: Final[Mapping[ResourceType, ErrorCode]] = {
    ResourceType.TOPIC: ErrorCode.TOPIC_AUTHORIZATION_FAILED,
    ResourceType.GROUP: ErrorCode.GROUP_AUTHORIZATION_FAILED,
    ResourceType.CLUSTER: ErrorCode.CLUSTER_AUTHORIZATION_FAILED,
    ResourceType.TRANSACTIONAL_ID: ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
}


@frozen
class Right:
    """The right to an operation on resources of a type."""

    operation: Operation
    resource_type: ResourceType

    @property
    def error(self) -> ErrorCode:
        """The error for clients without this right."""
        return AUTHORIZATION_ERRORS[self.resource_type]

    def __str__(self) -> str:
        return f"{self.operation.name} on {self.resource_type.name}"


READ_TOPIC: Final = Right(Operation.READ, ResourceType.TOPIC)
WRITE_TOPIC: Final = Right(Operation.WRITE, ResourceType.TOPIC)
CREATE_TOPIC: Final = Right(Operation.CREATE, ResourceType.TOPIC)
DELETE_TOPIC: Final = Right(Operation.DELETE, ResourceType.TOPIC)
ALTER_TOPIC: Final = Right(Operation.ALTER, ResourceType.TOPIC)
DESCRIBE_TOPIC: Final = Right(Operation.DESCRIBE, ResourceType.TOPIC)
DESCRIBE_TOPIC_CONFIGS: Final = Right(Operation.DESCRIBE_CONFIGS, ResourceType.TOPIC)
ALTER_TOPIC_CONFIGS: Final = Right(Operation.ALTER_CONFIGS, ResourceType.TOPIC)

READ_GROUP: Final = Right(Operation.READ, ResourceType.GROUP)
DELETE_GROUP: Final = Right(Operation.DELETE, ResourceType.GROUP)
DESCRIBE_GROUP: Final = Right(Operation.DESCRIBE, ResourceType.GROUP)
DESCRIBE_GROUP_CONFIGS: Final = Right(Operation.DESCRIBE_CONFIGS, ResourceType.GROUP)
ALTER_GROUP_CONFIGS: Final = Right(Operation.ALTER_CONFIGS, ResourceType.GROUP)

CREATE_IN_CLUSTER: Final = Right(Operation.CREATE, ResourceType.CLUSTER)
ALTER_CLUSTER: Final = Right(Operation.ALTER, ResourceType.CLUSTER)
DESCRIBE_CLUSTER: Final = Right(Operation.DESCRIBE, ResourceType.CLUSTER)
DESCRIBE_CLUSTER_CONFIGS: Final = Right(Operation.DESCRIBE_CONFIGS, ResourceType.CLUSTER)
ALTER_CLUSTER_CONFIGS: Final = Right(Operation.ALTER_CONFIGS, ResourceType.CLUSTER)
ACT_FOR_CLUSTER: Final = Right(Operation.CLUSTER_ACTION, ResourceType.CLUSTER)
WRITE_IDEMPOTENTLY: Final = Right(Operation.IDEMPOTENT_WRITE, ResourceType.CLUSTER)

WRITE_TRANSACTIONAL_ID: Final = Right(Operation.WRITE, ResourceType.TRANSACTIONAL_ID)
DESCRIBE_TRANSACTIONAL_ID: Final = Right(Operation.DESCRIBE, ResourceType.TRANSACTIONAL_ID)
