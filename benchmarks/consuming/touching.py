"""Looking at records that are awaited, as every reading of objects by asyncio does."""

from __future__ import annotations

from collections.abc import AsyncIterable
from typing import Protocol

__all__ = ["touch"]


class _Record(Protocol):
    @property
    def value(self) -> object: ...

    @property
    def offset(self) -> object: ...


async def touch(records: AsyncIterable[_Record], count: int) -> None:
    """Look at the value and the offset of so many records, at least one."""
    async for record in records:
        value, offset = record.value, record.offset  # noqa: F841
        count -= 1
        if not count:
            break
