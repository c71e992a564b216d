"""A reader of either kind whose connection is lent whenever it is interrupted (``interrupted_reader``)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from attrs import define

from tests.engine.injected_calls import TRIED, UNDONE, next_of, result_of
from tests.engine.injection import Injection
from tests.engine.interrupted_reader import Kind, Reader, try_each
from tests.engine.lent import arriving, lend, poll
from tests.engine.stage import Stage
from tests.support.waiting import GUARD_S


@define
class LentReader(Reader):
    """Records arrive one by one, each when it waits."""

    is_in_iteration: bool = False

    async def try_at(self, place: int, call: Callable[[Any], object], *more: Any, **where: Any) -> Injection:
        """Make the call in the midst of three records that were fetched together, or when two are on their way."""
        await self._read_rest()
        for record in await lend(self.stage, self.consumer, self._take):
            self.note(record)
        if self.is_in_iteration:
            self.note(await arriving(self.stage, self.consumer, lambda: next_of(self.consumer), 3))
        else:
            self.stage.write(0, 2)
        return await super().try_at(place, call, *more, **where)

    async def read(self, count: int) -> None:
        """Go on with records that arrive now."""
        if len(self.upcoming) < 2:
            await super().read(count)
            return
        await self._read_rest()
        for _ in range(count):
            self.note(await arriving(self.stage, self.consumer, self._take))

    async def _read_rest(self) -> None:
        """Read all that is there."""
        end = self.stage.run(lambda: self.stage._partition(0).log.end_offset)
        deadline = time.monotonic() + GUARD_S
        while self.upcoming[0] < end:
            assert time.monotonic() < deadline, f"{self.upcoming[0]} does not come; {self.consumer.health()}"
            self.note(list(await result_of(self.consumer.poll(0.5))))

    def _take(self) -> Any:
        return poll(self.consumer)


async def try_lent_call(stage: Stage, kind: Kind, name: str, is_in_iteration: bool, stride: int = 1) -> int:
    """Raise in each place of the call, or every so many, while the connection is lent."""
    reader = await LentReader.begin(stage, kind)
    reader.is_in_iteration = is_in_iteration
    return await try_each(reader, lambda reader: TRIED[name](reader.consumer), stride, UNDONE.get(name))
