"""The producer of the demonstration: all flights, evenly over some seconds, in their own order."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from kafka_nextgen.cli.demonstration import reports
from kafka_nextgen.cli.demonstration.board import Board
from kafka_nextgen.cli.demonstration.dataset import Flight
from kafka_nextgen.producing.producer import Producer
from kafka_nextgen.wire.records import NewRecord

__all__ = ["stream_flights"]

TICK_S = 0.05
MAX_RECORDS_AT_ONCE = 1_000


async def stream_flights(producer: Producer, flights: Sequence[Flight], board: Board, duration_s: float) -> None:
    """Write what is due, tick by tick; behind time it writes larger pieces until it has caught up."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    sent = 0
    while sent < len(flights):
        due = int(len(flights) * min(1.0, (loop.time() - began + TICK_S) / duration_s))
        batch = flights[sent : min(due, sent + MAX_RECORDS_AT_ONCE)]
        await _send(producer, batch, board)
        sent += len(batch)
        board.wake()
        if sent >= due:
            await asyncio.sleep(TICK_S)


async def _send(producer: Producer, batch: Sequence[Flight], board: Board) -> None:
    if not batch:
        return
    now_ms = int(time.time() * 1000)
    records = [NewRecord(flight.line, key=flight.tail_number, timestamp=now_ms) for flight in batch]
    for flight, (partition, offset) in zip(batch, await producer.send(records), strict=True):
        board.note_produced(partition, offset, reports.checksum(flight.tail_number, flight.line))
