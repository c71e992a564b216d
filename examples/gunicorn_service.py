"""A WSGI service with a consumer in each of its workers. gunicorn_conf.py beside it starts and stops the consumers.

The settings come from the environment: BOOTSTRAP_SERVERS, TOPIC and GROUP.

gunicorn -c examples/gunicorn_conf.py --chdir examples gunicorn_service:app
"""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

from kafka_nextgen import Consumer, Record, StopHandle

consumer: Consumer  # of this worker


def handle(record: Record[bytes | None, bytes | None]) -> None:
    order = json.loads(record.value or b"")
    print(f"order {order['id']} is handled by worker {os.getpid()}", flush=True)


@contextmanager
def consuming(instance: str) -> Iterator[None]:
    """Consume in a thread for as long as the block runs; then finish and commit what was started.

    If the consumer fails, gunicorn is made to replace this worker: other workers would answer the probes.
    """
    global consumer
    stop = StopHandle()

    def run() -> None:
        try:
            consumer.run(handle, [os.environ.get("TOPIC", "orders")], drain_timeout_s=20, stop=stop)
        finally:
            if not stop.is_stopped:
                os.kill(os.getpid(), signal.SIGTERM)

    with Consumer(
        bootstrap_servers=os.environ.get("BOOTSTRAP_SERVERS", "localhost:9092"),
        group_id=os.environ.get("GROUP", "billing"),
        group_instance_id=instance,
        client_id=instance,
        auto_offset_reset="earliest",
        enable_auto_commit=False,  # run commits what is handled
    ) as consumer:
        thread = threading.Thread(target=run, name="consumer")
        thread.start()
        try:
            yield
        finally:
            stop.stop()
            thread.join()


def app(environ: Mapping[str, object], start_response: Callable[..., object]) -> Iterable[bytes]:
    """Answer every request with the health of this worker's consumer; ``health`` asks no broker."""
    health = consumer.health()
    is_well = health.problem is None
    start_response("200 OK" if is_well else "503 Service Unavailable", [("Content-Type", "application/json")])
    return [json.dumps({"worker": os.getpid(), **health.as_dict()}).encode()]
