"""What a script can do to a request instead of a proper answer.

* ``answer error CODE``, or for one partition ``answer error CODE for orders[1]``: the request is not carried out. CODE
  is a name, or a number for an unknown one.
* ``drop the connection``: the request is not carried out.
* ``drop the connection afterwards``: it is carried out, and its answer is lost.
* ``stay silent``: no answer to this request or later ones; the connection stays open.
* ``answer half``, ``answer half and stay silent``: only half of the answer is sent.
* ``answer garbage``: a frame with the right correlation id that can't be decoded.
* ``answer too much``: the length of a frame that is larger than any configuration allows.
* ``answer nonsense``: an answer that can be decoded but is invalid.
* ``answer without topics``: the request is carried out, and the answer leaves out all topics.
"""

from __future__ import annotations

import asyncio
import functools
import re
from collections.abc import Awaitable, Callable
from struct import pack
from typing import TypeVar

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.frames import RequestFrame, decode_response, encode_response
from kafka_nextgen.wire.schema import Message, Structure
from tests.sockets.answers import nonsense, refusal
from tests.support.waiting import slowness

S = TypeVar("S", bound=Structure)

Answer = Callable[[], Awaitable[bytes | None]]
Act = Callable[[RequestFrame, Answer, asyncio.StreamWriter], Awaitable[None]]

AN_HOUR_S = 3600.0


async def drop(_request: RequestFrame, _answer: Answer, _writer: asyncio.StreamWriter) -> None:
    raise ConnectionResetError


async def drop_afterwards(_request: RequestFrame, answer: Answer, _writer: asyncio.StreamWriter) -> None:
    await answer()
    raise ConnectionResetError


async def stay_silent(_request: RequestFrame, _answer: Answer, _writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(AN_HOUR_S)


async def answer_half(request: RequestFrame, answer: Answer, writer: asyncio.StreamWriter) -> None:
    await _write_half(answer, writer)
    raise ConnectionResetError


async def answer_half_and_stay_silent(request: RequestFrame, answer: Answer, writer: asyncio.StreamWriter) -> None:
    await _write_half(answer, writer)
    await asyncio.sleep(AN_HOUR_S)


async def _write_half(answer: Answer, writer: asyncio.StreamWriter) -> None:
    whole = await answer()
    assert whole is not None
    writer.write(whole[: len(whole) // 2])
    await writer.drain()


async def answer_garbage(request: RequestFrame, _answer: Answer, writer: asyncio.StreamWriter) -> None:
    payload = pack(">i", request.correlation_id) + b"\xff" * 64
    writer.write(pack(">i", len(payload)) + payload)


async def answer_too_much(request: RequestFrame, _answer: Answer, writer: asyncio.StreamWriter) -> None:
    writer.write(pack(">i", 2**31 - 1))


async def answer_nonsense(request: RequestFrame, _answer: Answer, writer: asyncio.StreamWriter) -> None:
    writer.write(_encoded(request, nonsense(request)))


async def answer_without_topics(request: RequestFrame, answer: Answer, writer: asyncio.StreamWriter) -> None:
    whole = await answer()
    assert whole is not None
    _, message = decode_response(request.api, request.version, whole[4:])
    emptied = _without_topics(message)
    groups = getattr(message, "groups", ())
    if groups:
        emptied = emptied.replaced(groups=[_without_topics(group) for group in groups])
    writer.write(_encoded(request, emptied))


def _without_topics(part: S) -> S:
    return part.replaced(**{name: [] for name in ("topics", "responses") if getattr(part, name, None)})


async def _answer_error(
    code: int, partition: int | None, request: RequestFrame, _answer: Answer, writer: asyncio.StreamWriter
) -> None:
    writer.write(_encoded(request, refusal(request, code, partition)))


def _encoded(request: RequestFrame, message: Message) -> bytes:
    return encode_response(request.api, message, request.version, request.correlation_id)


#: Acts after which a request ends only by its ``request.timeout.ms``, or a fetch by ``fetch.max.wait.ms``.
SILENT = frozenset({"stay silent", "answer half and stay silent"})


def limits_for(*acts: str) -> dict[str, object]:
    """Return the settings of a consumer that meets these acts: brief limits only where nothing else ends a request."""
    if SILENT.isdisjoint(acts):
        return {}
    brief_ms = int(200 * slowness())
    return {"request_timeout_ms": brief_ms, "socket_connection_setup_timeout_ms": brief_ms}


#: All but ``answer error``.
ACTS: dict[str, Act] = {
    "drop the connection": drop,
    "drop the connection afterwards": drop_afterwards,
    "stay silent": stay_silent,
    "answer half": answer_half,
    "answer half and stay silent": answer_half_and_stay_silent,
    "answer garbage": answer_garbage,
    "answer nonsense": answer_nonsense,
    "answer without topics": answer_without_topics,
    "answer too much": answer_too_much,
}

#: What can happen to any request and is no more than weather.
FAULTS = [act for act in ACTS if act != "answer too much"]

_ERROR = re.compile(r"answer error (?P<code>[A-Z_0-9]+)(?: for \w+\[(?P<partition>\d+)\])?")


def act_named(text: str) -> Act:
    """Return the act that a script calls ``text``."""
    match = _ERROR.fullmatch(text)
    if match is None:
        assert text in ACTS, f"nothing is called {text!r}"
        return ACTS[text]
    partition = None if match["partition"] is None else int(match["partition"])
    code = int(match["code"]) if match["code"].isdigit() else ErrorCode[match["code"]]
    return functools.partial(_answer_error, code, partition)
