"""What AlterConfigs and IncrementalAlterConfigs answer: of each resource whether it was altered, or why not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Protocol, TypedDict, TypeVar

from kafka_nextgen.broker.refusal import Refusal
from kafka_nextgen.codes import ErrorCode

__all__ = ["ResourceAnswer", "answer_each"]

_TWICE = Refusal(ErrorCode.INVALID_REQUEST, "Each resource must appear at most once.")


class _Resource(Protocol):
    """What both requests say of a resource."""

    @property
    def resource_type(self) -> int: ...

    @property
    def resource_name(self) -> str: ...


R = TypeVar("R", bound=_Resource)


class ResourceAnswer(TypedDict):
    """The fields of the answer about one resource, which both APIs have alike."""

    error_code: int
    error_message: str | None
    resource_type: int
    resource_name: str


def answer_each(resources: Sequence[R], alter: Callable[[R], Refusal | None]) -> list[ResourceAnswer]:
    """Alter each resource that is named once; those named twice are left alone, both times."""
    counts = Counter((asked.resource_type, asked.resource_name) for asked in resources)
    return [
        _answer(asked, _TWICE if counts[asked.resource_type, asked.resource_name] > 1 else alter(asked))
        for asked in resources
    ]


def _answer(asked: _Resource, refusal: Refusal | None) -> ResourceAnswer:
    return {
        "error_code": ErrorCode.NONE if refusal is None else refusal.code,
        "error_message": None if refusal is None else refusal.message,
        "resource_type": asked.resource_type,
        "resource_name": asked.resource_name,
    }
