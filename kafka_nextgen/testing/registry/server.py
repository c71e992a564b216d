"""``SchemaRegistry``: a schema registry over HTTP, in threads of this process, and the faults it can simulate."""

from __future__ import annotations

import json
import ssl
import threading
from base64 import b64encode
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from attrs import field

from kafka_nextgen.errors import MisuseError
from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.properties.secret import Secret
from kafka_nextgen.testing.arguments import seconds as checked_seconds
from kafka_nextgen.testing.arguments import text, whole_number
from kafka_nextgen.testing.registry.routes import answer
from kafka_nextgen.testing.registry.store import RefusedError, Store

__all__ = ["SchemaRegistry"]

_CONTENT_TYPE = "application/vnd.schemaregistry.v1+json"


@define
class _Fault:
    """An answer that replaces the registry's own; ``times`` counts down, None means always."""

    status: int
    body: bytes
    headers: Mapping[str, str]
    times: int | None


@define
class _State:
    """The state that the server's threads share, protected by ``lock``."""

    store: Store = field(factory=Store)
    requests: list[tuple[str, str]] = field(factory=list)
    allowed: frozenset[str] = frozenset()
    fault: _Fault | None = None
    delay_s: float = 0.0
    hangs: int = 0
    is_closed: bool = False
    lock: threading.Condition = field(factory=threading.Condition)


class SchemaRegistry:
    """A schema registry with Confluent's API, for tests of applications and of clients.

        with SchemaRegistry() as registry:
            schema_id = registry.register("orders-value", '{"type": "string"}')
            client = SchemaRegistryClient({"url": registry.url})

    It listens on loopback only, on a port that the system chooses, and keeps everything in memory. All schemas are
    compatible. It can be used once.

    Args:
        users: passwords by user name; clients must send one of the pairs (RFC 7617).
        token: a bearer token that clients must send (RFC 6750).
        tls: the server's TLS context; without it, the URL uses plain HTTP.
    """

    def __init__(
        self,
        *,
        users: Mapping[str, Secret | str] | None = None,
        token: Secret | str | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._state = _State(allowed=frozenset(_authorizations(users or {}, token)))
        self._tls = tls
        self._server: _Server | None = None

    @property
    def url(self) -> str:
        """The URL for clients. Raises MisuseError outside the ``with`` block."""
        if self._server is None:
            raise MisuseError("the registry is not running: use it in a with block")
        port = self._server.server_address[1]
        return f"http://127.0.0.1:{port}" if self._tls is None else f"https://localhost:{port}"

    @property
    def requests(self) -> list[tuple[str, str]]:
        """The method and path of each request so far, with its query."""
        with self._state.lock:
            return list(self._state.requests)

    def register(
        self,
        subject: str,
        schema: str,
        schema_type: str = "AVRO",
        references: Collection[Mapping[str, object]] = (),
    ) -> int:
        """Register a schema, and return its id. A reference has ``name``, ``subject`` and ``version``.

        Raises ValueError for a schema that the registry refuses.
        """
        schema, kind = text("schema", schema), text("schema type", schema_type)
        body = {"schema": schema, "schemaType": kind, "references": list(references)}
        with self._state.lock:
            try:
                return self._state.store.register(text("subject", subject), body)[1].id
            except RefusedError as refusal:
                raise ValueError(str(refusal)) from None

    def guid_of(self, schema_id: int) -> str:
        """Return the GUID of a schema, as clients send it in headers. Raises ValueError for an unknown id."""
        with self._state.lock:
            try:
                return self._state.store.by_id(str(whole_number("a schema id", schema_id))).guid
            except RefusedError as refusal:
                raise ValueError(str(refusal)) from None

    # ---- faults

    def fail(
        self,
        status: int = 503,
        body: bytes | str = b"",
        headers: Mapping[str, str] | None = None,
        times: int | None = None,
    ) -> None:
        """Answer the next ``times`` requests, or all, with this status, body and headers; see ``recover``.

        Raises ValueError unless ``status`` is between 200 and 599, and ``times`` at least 1.
        """
        data = body if isinstance(body, bytes) else text("body of an answer", body).encode()
        if not 200 <= whole_number("status", status) <= 599:
            raise ValueError(f"status must be between 200 and 599, not {status}")
        if times is not None and whole_number("times", times) < 1:
            raise ValueError(f"times must be at least 1, not {times}")
        with self._state.lock:
            self._state.fault = _Fault(status, data, headers or {}, times)

    def delay(self, seconds: float) -> None:
        """Delay each answer by this many seconds."""
        delay_s = checked_seconds("delay", seconds)
        with self._state.lock:
            self._state.delay_s = delay_s

    def recover(self) -> None:
        """Undo ``fail`` and ``delay``."""
        with self._state.lock:
            self._state.fault, self._state.delay_s = None, 0.0

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """Hold all answers inside the block; requests that arrived are answered when it ends."""
        with self._state.lock:
            self._state.hangs += 1
        try:
            yield
        finally:
            with self._state.lock:
                self._state.hangs -= 1
                self._state.lock.notify_all()

    def wait_for_requests(self, count: int, timeout_s: float = 60.0) -> None:
        """Wait until there have been this many requests in total. Raises TimeoutError."""
        whole_number("count", count)
        checked_seconds("timeout_s", timeout_s)
        with self._state.lock:
            if not self._state.lock.wait_for(lambda: len(self._state.requests) >= count, timeout_s):
                raise TimeoutError(
                    f"only {len(self._state.requests)} of {count} requests arrived within {timeout_s:g} s"
                )

    # ---- running

    def __enter__(self) -> SchemaRegistry:
        if self._server is not None or self._state.is_closed:
            raise MisuseError("a registry can be used once")
        self._server = _Server(self._state, self._tls)
        threading.Thread(target=self._server.serve_forever, name="kafka_nextgen registry", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        server, self._server = self._server, None
        assert server is not None
        with self._state.lock:
            self._state.is_closed = True
            self._state.lock.notify_all()
        server.shutdown()
        server.server_close()


def _authorizations(users: Mapping[str, Secret | str], token: Secret | str | None) -> Iterator[str]:
    for name, password in users.items():
        yield f"Basic {b64encode(f'{name}:{_revealed(password)}'.encode()).decode()}"
    if token is not None:
        yield f"Bearer {_revealed(token)}"


def _revealed(secret: Secret | str) -> str:
    return secret.reveal() if isinstance(secret, Secret) else secret


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # a client may keep its connection open

    def __init__(self, state: _State, tls: ssl.SSLContext | None) -> None:
        self.state = state
        self._tls = tls
        super().__init__(("127.0.0.1", 0), _Handler)

    def finish_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in its own thread, so that a TLS handshake does not delay others."""
        super().finish_request(
            request if self._tls is None else self._tls.wrap_socket(request, server_side=True), client_address
        )

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing: a client that disconnects is not an error of the registry."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # headers and body are sent together

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def do_PUT(self) -> None:
        self._serve()

    def do_DELETE(self) -> None:
        self._serve()

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        state = self.server.state
        with state.lock:
            state.requests.append((self.command, self.path))
            state.lock.notify_all()
            state.lock.wait_for(lambda: state.is_closed, state.delay_s)
            state.lock.wait_for(lambda: state.is_closed or not state.hangs)
            status, data, headers = self._answer(state, body)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _answer(self, state: _State, body: bytes) -> tuple[int, bytes, Mapping[str, str]]:
        fault = state.fault
        if fault is not None:
            fault.times = None if fault.times is None else fault.times - 1
            state.fault = None if fault.times == 0 else fault
            return fault.status, fault.body, fault.headers
        headers = {"Content-Type": _CONTENT_TYPE}
        if state.allowed and self.headers.get("Authorization") not in state.allowed:
            return 401, _refusal(40101, "Unauthorized"), headers
        try:
            return 200, json.dumps(answer(state.store, self.command, self.path, _as_object(body))).encode(), headers
        except RefusedError as refusal:
            return refusal.status, _refusal(refusal.code, str(refusal)), headers


def _refusal(code: int, message: str) -> bytes:
    return json.dumps({"error_code": code, "message": message}).encode()


def _as_object(body: bytes) -> Mapping[str, Any]:
    try:
        given = json.loads(body or b"{}")
    except ValueError:
        raise RefusedError(400, 400, "the body is not JSON") from None
    if not isinstance(given, dict):
        raise RefusedError(400, 400, "the body is not a JSON object")
    return given
