"""The base classes of requests that only extensions serve, and of the answers to them."""

from __future__ import annotations

from typing import ClassVar

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.lazy_attrs import frozen

__all__ = ["ExtensionRequest", "ExtensionResponse"]


@frozen
class ExtensionResponse:
    """An answer to a request that only extensions serve."""

    error: ErrorCode = ErrorCode.NONE
    message: str | None = None


@frozen
class ExtensionRequest:
    """A request for one group that only an extension serves."""

    response: ClassVar[type[ExtensionResponse]] = ExtensionResponse

    group_id: str

    def refused(self, error: ErrorCode) -> ExtensionResponse:
        """The answer with this error."""
        return self.response(error)
