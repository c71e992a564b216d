"""gunicorn's settings for gunicorn_service.py: each worker has a consumer, which is a static member of the group."""

from __future__ import annotations

import socket
from contextlib import ExitStack

from gunicorn.arbiter import Arbiter
from gunicorn.workers.base import Worker

workers = 2
threads = 4
timeout = graceful_timeout = 60  # seconds; more than drain_timeout_s of run, and 30 for close

_consuming = ExitStack()  # of this process; nothing in the arbiter


def pre_fork(server: Arbiter, worker: Worker) -> None:
    """Give a new worker, from 0 on, the number that has been without a new worker for the longest time."""
    newest = {each.number: each.age for each in server.WORKERS.values()}
    worker.number = min(range(server.num_workers), key=lambda number: newest.get(number, 0))


def post_worker_init(worker: Worker) -> None:
    """Start the consumer, in the worker: it would not survive the fork."""
    from gunicorn_service import consuming

    _consuming.enter_context(consuming(f"{socket.gethostname()}-{worker.number}"))


def worker_exit(server: Arbiter, worker: Worker) -> None:
    """Stop the consumer, once the requests have been answered."""
    _consuming.close()
