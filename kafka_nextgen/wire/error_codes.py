"""The error code fields of messages."""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.field_map import converted

__all__ = ["ERROR", "code_of"]


def code_of(number: int) -> ErrorCode:
    """The error code with this number; ``UNKNOWN_SERVER_ERROR`` for an unknown number."""
    try:
        return ErrorCode(number)
    except ValueError:
        return ErrorCode.UNKNOWN_SERVER_ERROR


#: Converts a structure's error code field.
ERROR = converted("error_code", int, code_of)
