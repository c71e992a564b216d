"""Log as lines of JSON, each with the record that was being handled; the library's own messages included.

python examples/logging_as_json.py --topic orders --group billing
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from datetime import datetime, timezone
from itertools import count

from arguments import parse_arguments

from kafka_nextgen import Consumer, Hooks, Record, StopHandle

#: What each line says besides its message: where the record that is being handled comes from.
context: ContextVar[dict[str, object]] = ContextVar("context", default={})  # noqa: B039  (it is replaced, not changed)


class RecordContext(Hooks):
    """Sets the context for each call of the handler, on the handler's thread."""

    def processing(self, record: Record) -> AbstractContextManager[object]:
        return handling(record)


@contextmanager
def handling(record: Record) -> Iterator[None]:
    token = context.set({"topic": record.topic, "partition": record.partition, "offset": record.offset})
    try:
        yield
    finally:
        context.reset(token)


class JsonFormatter(logging.Formatter):
    """Formats each message, of whichever logger, as a line of JSON."""

    def format(self, message: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(message.created, timezone.utc).isoformat(timespec="milliseconds"),
            "level": message.levelname,
            "logger": message.name,
            "message": message.getMessage(),
            **context.get(),
        }
        if message.exc_info:
            line["exception"] = self.formatException(message.exc_info)
        return json.dumps(line)


arguments = parse_arguments(__doc__)
stop = StopHandle()
numbers = count(1)
log = logging.getLogger("billing")


def handle(record: Record[bytes | None, bytes | None]) -> None:
    order = json.loads(record.value or b"")
    log.info("order %s is handled", order["id"])
    if next(numbers) >= arguments.max_messages:
        stop.stop()


def put_aside(record: Record, error: Exception) -> None:
    with handling(record):
        log.error("giving up", exc_info=error)


to_stderr = logging.StreamHandler()
to_stderr.setFormatter(JsonFormatter())
logging.basicConfig(level=logging.INFO, handlers=[to_stderr])

with Consumer(
    bootstrap_servers=arguments.bootstrap_servers,
    group_id=arguments.group,
    auto_offset_reset="earliest",
    enable_auto_commit=False,
) as consumer:
    consumer.hooks.add(RecordContext())
    consumer.run(handle, [arguments.topic], dead_letter=put_aside, stop=stop)
