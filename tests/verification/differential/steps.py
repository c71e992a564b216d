"""One request of an episode, as both brokers are sent it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from kafka_nextgen.wire.apis import Api
from kafka_nextgen.wire.schema import Message
from tests.support.plain_messages import message_of
from tests.verification.differential.symbols import resolved, symbols_in
from tests.verification.differential.told import Member, Told


@frozen
class Step:
    """A request with symbols in it.

    ``who`` is the member that asks; if ``waits``, on a connection of its own, since the answer may come later.
    ``is_needed`` keeps shrinking from leaving it out.
    """

    api: Api
    version: int
    fields: Mapping[str, Any]
    who: Member | None = None
    waits: bool = False
    is_needed: bool = False

    @property
    def concerns(self) -> frozenset[str]:
        """The topics and groups that it is about."""
        return frozenset().union(*(symbol.concerns() for symbol in symbols_in(self.fields)))

    def message(self, told: Told) -> Message:
        """The request for the broker that told this."""
        return message_of(self.api.request, **resolved(self.fields, told))

    def __str__(self) -> str:
        return f"{self.api} v{self.version} {_shown(self.fields)}"


def _shown(part: Any) -> str:
    if isinstance(part, Mapping):
        return "{" + ", ".join(f"{name}: {_shown(each)}" for name, each in part.items()) + "}"
    return "[" + ", ".join(map(_shown, part)) + "]" if isinstance(part, list) else repr(part)
