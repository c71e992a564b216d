"""A worker for Kubernetes: a static member with probes. kubernetes_worker.yaml beside it deploys it.

All settings come from the environment: BOOTSTRAP_SERVERS, TOPIC, GROUP, INSTANCE_ID and PROBE_PORT.

BOOTSTRAP_SERVERS=localhost:9092 TOPIC=orders GROUP=billing INSTANCE_ID=billing-0 python examples/kubernetes_worker.py
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from kafka_nextgen import Consumer, Record


def handle(record: Record[bytes | None, bytes | None]) -> None:
    print(f"{record.topic}[{record.partition}] {record.offset}: {record.value!r}", flush=True)


@contextmanager
def probes(consumer: Consumer, port: int) -> Iterator[int]:
    """Answer /live and /ready for as long as the block runs; yield the port. health() asks no broker."""

    class Probes(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            health = consumer.health()
            is_alive = health.problem is None
            is_well = {"/live": is_alive, "/ready": is_alive and health.status.value == "stable"}.get(self.path)
            status = HTTPStatus.NOT_FOUND if is_well is None else HTTPStatus.OK
            self.send_response(HTTPStatus.SERVICE_UNAVAILABLE if is_well is False else status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(health.as_dict()).encode())

        def log_message(self, format: str, *arguments: object) -> None:
            """Say nothing: a probe comes every few seconds."""

    with ThreadingHTTPServer(("", port), Probes) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()


with (
    Consumer(
        bootstrap_servers=os.environ["BOOTSTRAP_SERVERS"],
        group_id=os.environ["GROUP"],
        group_instance_id=os.environ["INSTANCE_ID"],
        client_id=os.environ["INSTANCE_ID"],
        auto_offset_reset="earliest",
        enable_auto_commit=False,
    ) as consumer,
    probes(consumer, int(os.environ.get("PROBE_PORT", "8080"))) as port,
):
    print(f"probes on port {port}", flush=True)
    consumer.run(handle, [os.environ["TOPIC"]], drain_timeout_s=20)  # until SIGTERM
