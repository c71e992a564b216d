"""A FastAPI service with a consumer, which starts and stops with the service.

The settings come from the environment: BOOTSTRAP_SERVERS, TOPIC and GROUP.

uvicorn --app-dir examples fastapi_service:app
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import JSONResponse

from kafka_nextgen import AsyncConsumer, Record, StopHandle

orders: dict[int, dict[str, Any]] = {}


async def handle(record: Record[bytes | None, bytes | None]) -> None:
    """Handle one record, on the event loop of the service; blocking calls belong in ``asyncio.to_thread``."""
    order = json.loads(record.value or b"")
    orders[order["id"]] = order


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[dict[str, AsyncConsumer]]:
    """Consume while the service runs; then finish and commit what was started, and leave the group."""
    async with AsyncConsumer(
        bootstrap_servers=os.environ.get("BOOTSTRAP_SERVERS", "localhost:9092"),
        group_id=os.environ.get("GROUP", "billing"),
        auto_offset_reset="earliest",
        enable_auto_commit=False,  # run commits what is handled
    ) as consumer:
        stop = StopHandle()
        running = asyncio.create_task(consumer.run(handle, [os.environ.get("TOPIC", "orders")], stop=stop))
        yield {"consumer": consumer}
        stop.stop()
        await running


app = FastAPI(lifespan=lifespan)


@app.get("/orders/{number}")
async def get_order(number: int) -> dict[str, Any]:
    if number not in orders:
        raise HTTPException(404, f"there is no order {number} yet")
    return orders[number]


@app.get("/live")
async def live(request: Request) -> JSONResponse:
    """Answer a probe; ``health`` asks no broker."""
    health = request.state.consumer.health()
    return JSONResponse(health.as_dict(), 200 if health.problem is None else 503)
