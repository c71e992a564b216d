"""Rules, as text, for what a broker does to requests on its real sockets.

One line per rule. The first rule that matches a request and is not used up applies; without one the embedded broker
answers normally::

    when heartbeat: answer error FENCED_MEMBER_EPOCH
    when commit, 3 times: drop the connection
    when leave, always: stay silent
    when fetch at node 2, always: drop the connection

``REQUESTS`` lists the requests, ``ACTS`` what can be done to them. All requests are recorded, and a test can wait for
one.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable
from functools import partial

from attrs import define, field

from kafka_nextgen.testing.broker.connection import Connection
from kafka_nextgen.testing.broker.dispatch import Dispatcher
from kafka_nextgen.testing.broker.peer import Peer
from kafka_nextgen.testing.broker.refusal import CloseConnectionError
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.apis import Api
from kafka_nextgen.wire.frames import RequestFrame, decode_request
from tests.sockets.acts import Act, Answer, act_named
from tests.support.waiting import GUARD_S

Predicate = Callable[[RequestFrame], bool]


def _epoch(matches: Callable[[int], bool]) -> Predicate:
    return lambda request: matches(request.message.member_epoch)  # type: ignore[union-attr]


def _acknowledges(request: RequestFrame) -> bool:
    message = request.message
    assert message is not None
    return bool(message.member_epoch > 0 and message.topic_partitions is not None)


def _any(_request: RequestFrame) -> bool:
    return True


#: The requests of a consumer and of an admin by their names in scripts.
REQUESTS: dict[str, tuple[Api, Predicate]] = {
    "api versions": (apis.API_VERSIONS, _any),
    "metadata": (apis.METADATA, _any),
    "find coordinator": (apis.FIND_COORDINATOR, _any),
    "join": (apis.CONSUMER_GROUP_HEARTBEAT, _epoch(lambda epoch: epoch == 0)),
    "heartbeat": (apis.CONSUMER_GROUP_HEARTBEAT, _epoch(lambda epoch: epoch > 0)),
    "acknowledgement": (apis.CONSUMER_GROUP_HEARTBEAT, _acknowledges),
    "leave": (apis.CONSUMER_GROUP_HEARTBEAT, _epoch(lambda epoch: epoch < 0)),
    "offset fetch": (apis.OFFSET_FETCH, _any),
    "list offsets": (apis.LIST_OFFSETS, _any),
    "epoch end": (apis.OFFSET_FOR_LEADER_EPOCH, _any),
    "fetch": (apis.FETCH, _any),
    "commit": (apis.OFFSET_COMMIT, _any),
    "classic join": (apis.JOIN_GROUP, _any),
    "classic sync": (apis.SYNC_GROUP, _any),
    "classic heartbeat": (apis.HEARTBEAT, _any),
    "classic leave": (apis.LEAVE_GROUP, _any),
    "describe": (apis.CONSUMER_GROUP_DESCRIBE, _any),
    "describe classic": (apis.DESCRIBE_GROUPS, _any),
    "offset delete": (apis.OFFSET_DELETE, _any),
}

_LINE = re.compile(
    r"when (?P<request>[a-z ]+?)(?: at node (?P<node>[0-9]+))?(?:, (?P<times>always|[0-9]+ times))?: (?P<act>.+)"
)


@define
class _Rule:
    request: str
    node: int | None
    act: Act
    times_left: float

    def matches(self, request: RequestFrame, node: int) -> bool:
        return self.times_left > 0 and self.node in (None, node) and _is_a(request, self.request)


@define
class Script:
    """The rules in force, and the requests in order of arrival: all (with their nodes), and those a rule applied to.

    Used by the threads of the test and of the broker.
    """

    seen: list[RequestFrame] = field(factory=list)
    seen_at: list[int] = field(factory=list)  # the node that each of them came to
    acted_on: list[RequestFrame] = field(factory=list)
    streams: list[list[int]] = field(factory=list)  # the numbers of the requests of each connection
    _rules: list[_Rule] = field(factory=list)
    _changed: threading.Condition = field(factory=threading.Condition)

    # ---- the test's side

    def play(self, text: str) -> None:
        """Add the rules of ``text`` to those in force."""
        with self._changed:
            self._rules += [_read(line.strip()) for line in text.splitlines() if line.strip()]

    def stop(self) -> None:
        """Drop all rules; the broker answers normally from here on."""
        with self._changed:
            self._rules.clear()

    @property
    def is_done(self) -> bool:
        """Whether all rules are used up, except those that apply always."""
        return all(rule.times_left in (0, float("inf")) for rule in self._rules)

    def came(self, request: str, node: int | None = None) -> list[RequestFrame]:
        """The requests of that name so far, to any node or to one."""
        assert request in REQUESTS, request
        pairs = zip(tuple(self.seen), tuple(self.seen_at), strict=False)
        return [one for one, at in pairs if _is_a(one, request) and node in (None, at)]

    def wait_for(self, request: str, times: int = 1) -> RequestFrame:
        """Wait for this many requests of a name; return the last of them."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.came(request)) >= times, GUARD_S), f"no {request} came"
        return self.came(request)[times - 1]

    def wait_for_next(self, request: str) -> RequestFrame:
        """Wait for the first request of a name after the last one that a rule applied to."""

        def behind() -> list[RequestFrame]:
            (at,) = (index for index, one in enumerate(self.seen) if one is self.acted_on[-1])
            return [one for one in self.seen[at + 1 :] if _is_a(one, request)]

        with self._changed:
            assert self._changed.wait_for(behind, GUARD_S), f"no {request} came any more"
            return behind()[0]

    # ---- the broker's side

    async def serve(self, connection: Connection) -> None:
        """Serve one connection; takes the place of ``Connection.serve``."""
        dispatcher, peer = connection._dispatcher, connection._peer
        reader, writer = connection._reader, connection._writer
        numbers: list[int] = []
        self.streams.append(numbers)
        try:
            while True:
                length = int.from_bytes(await reader.readexactly(4), "big")
                frame = await reader.readexactly(length)
                request = decode_request(frame)
                numbers.append(request.correlation_id)
                act = self._act_for(request, dispatcher._node.node_id)
                await self._answer(request, act, partial(_answer_normally, dispatcher, frame, peer), writer)
        except (asyncio.IncompleteReadError, ConnectionError, CloseConnectionError):
            pass
        finally:
            writer.transport.abort()

    async def _answer(
        self, request: RequestFrame, act: Act | None, answer: Answer, writer: asyncio.StreamWriter
    ) -> None:
        if act is None:
            writer.write(await answer() or b"")
        else:
            await act(request, answer, writer)
        await writer.drain()

    def _act_for(self, request: RequestFrame, node: int) -> Act | None:
        with self._changed:
            self.seen_at.append(node)
            self.seen.append(request)
            self._changed.notify_all()
            rule = next((rule for rule in self._rules if rule.matches(request, node)), None)
            if rule is None:
                return None
            rule.times_left -= 1
            self.acted_on.append(request)
            return rule.act


async def _answer_normally(dispatcher: Dispatcher, frame: bytes, peer: Peer) -> bytes | None:
    return (await dispatcher.answer(frame, peer)).frame


def _is_a(request: RequestFrame, name: str) -> bool:
    api, predicate = REQUESTS[name]
    return request.api is api and request.message is not None and predicate(request)


def _read(line: str) -> _Rule:
    match = _LINE.fullmatch(line)
    assert match is not None, f"not a rule: {line!r}"
    assert match["request"] in REQUESTS, f"no request is called {match['request']!r}"
    times = match["times"] or "1 times"
    return _Rule(
        match["request"],
        None if match["node"] is None else int(match["node"]),
        act_named(match["act"]),
        float("inf") if times == "always" else int(times.split()[0]),
    )
