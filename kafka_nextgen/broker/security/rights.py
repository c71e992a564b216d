"""The rights that handlers ask for: an operation on resources of a type, and the error for clients without it."""

from __future__ import annotations

from typing import Final

from attrs import frozen

from kafka_nextgen.broker.security.acl_types import AUTHORIZATION_ERRORS, Operation, ResourceType
from kafka_nextgen.codes import ErrorCode

__all__ = [
    "ACT_FOR_CLUSTER",
    "ALTER_CLUSTER",
    "ALTER_CLUSTER_CONFIGS",
    "ALTER_GROUP_CONFIGS",
    "ALTER_TOPIC",
    "ALTER_TOPIC_CONFIGS",
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
    "WRITE_IDEMPOTENTLY",
    "WRITE_TOPIC",
    "WRITE_TRANSACTIONAL_ID",
    "Right",
]


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
