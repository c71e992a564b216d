"""One real Kafka for all workers of pytest-xdist.

The controller starts it when the first worker asks, so a run whose tests need no Kafka starts none, and stops it at the
end of the run. Workers ask over a connection to the loopback interface, with a key that only they have been given; one
that asks while Kafka starts waits. If it can't be started, no worker tries again. Each connection has its own thread,
and one that does not send the key in time is closed, so no other program of this machine can hold workers up.
"""

from __future__ import annotations

import secrets
import socket
import threading
from collections.abc import Callable
from socketserver import BaseServer, StreamRequestHandler, ThreadingTCPServer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafka_nextgen.testing.real_kafka.place import RunningKafka

__all__ = ["Controller", "ask"]

_STARTED, _FAILED = "started ", "failed "
_KEY_BYTES = 32
_KEY_LIMIT_S = 10.0
_POLL_S = 0.05  # how often the server checks whether it was shut down


class Controller:
    """Answers workers. ``start`` starts Kafka; it may raise any exception, whose text workers are told."""

    def __init__(self, start: Callable[[], RunningKafka]) -> None:
        self._start = start
        self._key = secrets.token_hex(_KEY_BYTES)
        self._lock = threading.Lock()
        self._running: RunningKafka | None = None
        self._answer: str | None = None
        self._server = _Server(("127.0.0.1", 0), self._handler)
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=[_POLL_S], name="kafka-nextgen-xdist", daemon=True
        )
        self._thread.start()

    @property
    def place(self) -> tuple[str, int, str]:
        """What a worker needs for ``ask``: host, port and key."""
        host, port = self._server.server_address[:2]
        return str(host), port, self._key

    def close(self) -> None:
        """Stop listening, and stop Kafka if it was started, or is being started."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        with self._lock:
            self._answer = f"{_FAILED}the run has ended"
            if self._running is not None:
                self._running.stop()

    def _handler(self, connection: socket.socket, address: object, server: BaseServer) -> _Handler:
        return _Handler(connection, address, server, self._key, self._begin)

    def _begin(self) -> str:
        """Start Kafka unless that was tried; return the answer for workers."""
        with self._lock:
            if self._answer is None:
                self._answer = self._started()
            return self._answer

    def _started(self) -> str:
        try:
            self._running = self._start()
        except BaseException as error:
            return f"{_FAILED}{error}"
        return f"{_STARTED}{self._running.bootstrap_servers}"


class _Server(ThreadingTCPServer):
    request_queue_size = 128
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Print nothing about a connection that has failed, or sent no key."""


class _Handler(StreamRequestHandler):
    timeout = _KEY_LIMIT_S

    def __init__(
        self, connection: socket.socket, address: object, server: BaseServer, key: str, answer: Callable[[], str]
    ) -> None:
        self._key = key.encode()
        self._answer = answer
        super().__init__(connection, address, server)

    def handle(self) -> None:
        """Answer only a worker that knows the key."""
        if secrets.compare_digest(self.rfile.read(len(self._key)), self._key):
            self.wfile.write(self._answer().encode())


def ask(place: tuple[str, int, str]) -> str:
    """Return the ``bootstrap.servers`` of the Kafka of this run. Raises OSError if it can't be started."""
    host, port, key = place
    with socket.create_connection((host, port)) as controller, controller.makefile("rwb") as stream:
        stream.write(key.encode())
        stream.flush()
        answer = stream.read().decode()
    if answer.startswith(_STARTED):
        return answer.removeprefix(_STARTED)
    raise OSError(answer.removeprefix(_FAILED) or "the controller of pytest-xdist has ended, or has another key")
