"""The error class that an application gets for each error code of the coordinator."""

from __future__ import annotations

from collections.abc import Mapping

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import (
    BrokerError,
    FencedInstanceError,
    GroupAuthorizationError,
    GroupFullError,
    GroupNotEmptyError,
    GroupNotFoundError,
    InstanceIdInUseError,
    TopicAuthorizationError,
    UnsupportedAssignorError,
    UnsupportedProtocolError,
)

__all__ = ["error_class"]

#: The codes with a specific class.
_ERROR_CLASSES: Mapping[int, type[BrokerError]] = {
    ErrorCode.GROUP_AUTHORIZATION_FAILED: GroupAuthorizationError,
    ErrorCode.TOPIC_AUTHORIZATION_FAILED: TopicAuthorizationError,
    ErrorCode.GROUP_MAX_SIZE_REACHED: GroupFullError,
    ErrorCode.UNSUPPORTED_ASSIGNOR: UnsupportedAssignorError,
    ErrorCode.UNSUPPORTED_VERSION: UnsupportedProtocolError,
    ErrorCode.UNRELEASED_INSTANCE_ID: InstanceIdInUseError,
    ErrorCode.FENCED_INSTANCE_ID: FencedInstanceError,
    ErrorCode.GROUP_ID_NOT_FOUND: GroupNotFoundError,
    ErrorCode.NON_EMPTY_GROUP: GroupNotEmptyError,
}


def error_class(code: int) -> type[BrokerError]:
    """The class to raise for an error code; ``BrokerError`` itself for codes without a specific class."""
    return _ERROR_CLASSES.get(code, BrokerError)
