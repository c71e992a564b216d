"""The enums of Kafka's ACLs (KIP-11, KIP-290), with their numbers on the wire, and the rights that handlers require.

A right permits one operation on resources of one type.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, IntEnum
from typing import Final

from kafka_nextgen.codes import ErrorCode

__all__ = [
    "AUTHORIZATION_ERRORS",
    "CLUSTER_NAME",
    "SUPPORTED",
    "Operation",
    "PatternType",
    "PermissionType",
    "ResourceType",
    "Right",
]

#: The name of the only resource of type CLUSTER.
CLUSTER_NAME: Final = "kafka-cluster"


class ResourceType(IntEnum):
    """The type of resource that a rule is about. ANY is for filters."""

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


#: The error for clients that lack a right.
AUTHORIZATION_ERRORS: Final[Mapping[ResourceType, ErrorCode]] = {
    ResourceType.TOPIC: ErrorCode.TOPIC_AUTHORIZATION_FAILED,
    ResourceType.GROUP: ErrorCode.GROUP_AUTHORIZATION_FAILED,
    ResourceType.CLUSTER: ErrorCode.CLUSTER_AUTHORIZATION_FAILED,
    ResourceType.TRANSACTIONAL_ID: ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
}


class Right(Enum):
    """The right to perform an operation on resources of a type."""

    READ_TOPIC = Operation.READ, ResourceType.TOPIC
    WRITE_TOPIC = Operation.WRITE, ResourceType.TOPIC
    CREATE_TOPIC = Operation.CREATE, ResourceType.TOPIC
    DELETE_TOPIC = Operation.DELETE, ResourceType.TOPIC
    ALTER_TOPIC = Operation.ALTER, ResourceType.TOPIC
    DESCRIBE_TOPIC = Operation.DESCRIBE, ResourceType.TOPIC
    DESCRIBE_TOPIC_CONFIGS = Operation.DESCRIBE_CONFIGS, ResourceType.TOPIC
    ALTER_TOPIC_CONFIGS = Operation.ALTER_CONFIGS, ResourceType.TOPIC

    READ_GROUP = Operation.READ, ResourceType.GROUP
    DELETE_GROUP = Operation.DELETE, ResourceType.GROUP
    DESCRIBE_GROUP = Operation.DESCRIBE, ResourceType.GROUP
    DESCRIBE_GROUP_CONFIGS = Operation.DESCRIBE_CONFIGS, ResourceType.GROUP
    ALTER_GROUP_CONFIGS = Operation.ALTER_CONFIGS, ResourceType.GROUP

    CREATE_IN_CLUSTER = Operation.CREATE, ResourceType.CLUSTER
    ALTER_CLUSTER = Operation.ALTER, ResourceType.CLUSTER
    DESCRIBE_CLUSTER = Operation.DESCRIBE, ResourceType.CLUSTER
    DESCRIBE_CLUSTER_CONFIGS = Operation.DESCRIBE_CONFIGS, ResourceType.CLUSTER
    ALTER_CLUSTER_CONFIGS = Operation.ALTER_CONFIGS, ResourceType.CLUSTER
    ACT_FOR_CLUSTER = Operation.CLUSTER_ACTION, ResourceType.CLUSTER
    WRITE_IDEMPOTENTLY = Operation.IDEMPOTENT_WRITE, ResourceType.CLUSTER

    WRITE_TRANSACTIONAL_ID = Operation.WRITE, ResourceType.TRANSACTIONAL_ID
    DESCRIBE_TRANSACTIONAL_ID = Operation.DESCRIBE, ResourceType.TRANSACTIONAL_ID

    def __init__(self, operation: Operation, resource_type: ResourceType) -> None:
        self.operation = operation
        self.resource_type = resource_type

    @property
    def error(self) -> ErrorCode:
        """The error for clients without this right."""
        return AUTHORIZATION_ERRORS[self.resource_type]

    def __str__(self) -> str:
        return f"{self.operation.name} on {self.resource_type.name}"


#: The operations on resources of each type.
SUPPORTED: Final[Mapping[ResourceType, frozenset[Operation]]] = {
    resource_type: frozenset(right.operation for right in Right if right.resource_type is resource_type)
    for resource_type in AUTHORIZATION_ERRORS
}
