"""Reading and writing messages by their schemas.

The function for a message and version is made when it is first needed, and kept.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TypeVar, cast

from kafka_nextgen.wire.primitives import LIGHT_BYTES, Data, refuse, weighing
from kafka_nextgen.wire.reading import Reader, make_reader
from kafka_nextgen.wire.schema import Message
from kafka_nextgen.wire.writing import Writer, make_writer

__all__ = ["read_message", "write_message"]

M = TypeVar("M", bound=Message)

_reader_of = cast("Callable[[type[Message], int], Reader]", cache(make_reader))
_writer_of = cast("Callable[[type[Message], int], Writer]", cache(make_writer))

#: librdkafka (2.16 still) writes the null that asks Metadata for all topics with four bytes instead of one. Read
#: right, the first four bytes are a whole request and three are left over. It also ends AlterUserScramCredentials with
#: its tags twice. Kafka's brokers never look at what is left over.
_LEFT_OVER = {"MetadataRequest": 3, "AlterUserScramCredentialsRequest": 1}


def read_message(message: type[M], version: int, body: Data) -> M:
    """Read ``body``, which is exactly one ``message`` of ``version``. Raises ``DecodeError``.

    What is read may look into ``body`` if it is a message ``IN_PLACE``, which ``body`` has to outlive unchanged.
    """
    data, end = body if message.IN_PLACE else bytes(body), len(body)
    weigh = weighing() if end > LIGHT_BYTES else None
    read, pos = _reader_of(message, version)(data, 0, end, weigh)
    if pos != end and end - pos != _LEFT_OVER.get(message.__name__):
        refuse(f"{message.__name__} v{version}", f"{end - pos} bytes follow the message")
    return cast(M, read)


def write_message(message: Message, version: int) -> bytes:
    """Write ``message`` as ``version`` has it. Fields that the version lacks are left out."""
    parts: list[bytes] = []
    _writer_of(type(message), version)(message, parts.append)
    return b"".join(parts)
