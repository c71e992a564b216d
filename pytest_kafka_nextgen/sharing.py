"""One real Kafka for all workers of pytest-xdist.

The controller starts it when the first worker asks, so a run whose tests need no Kafka starts none, and stops it at the
end of the run. Workers ask over a connection to the loopback interface, with a key that only they have been given; one
that asks while Kafka starts waits. If it can't be started, nobody tries again.
"""

from __future__ import annotations

import secrets
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Listener
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafka_nextgen.testing.real_kafka.place import RunningKafka

__all__ = ["Controller", "ask"]

_STARTED, _FAILED = "started ", "failed "
_MOST_WAITING = 128


class Controller:
    """Answers workers. ``start`` starts Kafka; it may raise any exception, whose text workers are told."""

    def __init__(self, start: Callable[[], RunningKafka]) -> None:
        self._start = start
        self._key = secrets.token_bytes(32)
        self._listener = Listener(("127.0.0.1", 0), backlog=_MOST_WAITING, authkey=self._key)
        self._running: RunningKafka | None = None
        self._answer: str | None = None
        self._is_closed = False
        self._thread = threading.Thread(target=self._serve, name="kafka-nextgen-xdist", daemon=True)
        self._thread.start()

    @property
    def place(self) -> tuple[str, int, str]:
        """What a worker needs for ``ask``: host, port and key."""
        host, port = self._address
        return host, port, self._key.hex()

    @property
    def _address(self) -> tuple[str, int]:
        host, port = self._listener.address
        return str(host), int(port)

    def close(self) -> None:
        """Stop listening, and stop Kafka if it was started."""
        self._is_closed = True
        with suppress(OSError):
            socket.create_connection(self._address).close()  # to end its wait
        self._thread.join()
        self._listener.close()
        if self._running is not None:
            self._running.stop()

    def _serve(self) -> None:
        while not self._is_closed:
            with suppress(AuthenticationError, EOFError, OSError), self._listener.accept() as worker:
                if self._answer is None:
                    self._answer = self._begin()
                worker.send_bytes(self._answer.encode())

    def _begin(self) -> str:
        try:
            self._running = self._start()
        except BaseException as error:
            return f"{_FAILED}{error}"
        return f"{_STARTED}{self._running.bootstrap_servers}"


def ask(place: tuple[str, int, str]) -> str:
    """Return the ``bootstrap.servers`` of the Kafka of this run. Raises OSError if it can't be started."""
    host, port, key = place
    with Client((host, port), authkey=bytes.fromhex(key)) as controller:
        answer = controller.recv_bytes().decode()
    if answer.startswith(_FAILED):
        raise OSError(answer.removeprefix(_FAILED))
    return answer.removeprefix(_STARTED)
