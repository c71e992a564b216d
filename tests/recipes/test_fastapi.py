"""A FastAPI service whose lifespan has a consumer: in this process, and under servers that get SIGTERM."""

from __future__ import annotations

import json
import signal
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from kafka_nextgen.testing import Cluster, ProducerRecord
from tests.recipes.programs import started_python
from tests.support.example_programs import EXAMPLES
from tests.support.waiting import GUARD_S, eventually

uvicorn = pytest.importorskip("uvicorn")
pytest.importorskip("fastapi")


def get(port: int | str, path: str) -> tuple[int, Any]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}") as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


@pytest.fixture
def orders(cluster: Cluster) -> Cluster:
    cluster.produce("orders", [ProducerRecord({"id": number}, partition=number % 2) for number in range(4)])
    return cluster


@pytest.fixture
def app(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The service's application, of a module that is imported for this test alone."""
    monkeypatch.setenv("BOOTSTRAP_SERVERS", cluster.bootstrap_servers)
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.delitem(sys.modules, "fastapi_service", raising=False)
    return import_module("fastapi_service").app


@contextmanager
def served(app: Any) -> Iterator[int]:
    """Serve it with uvicorn in a thread; yield the port."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, lifespan="on", log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        eventually("it serves", lambda: server.started or not thread.is_alive())
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(GUARD_S)


def test_the_service_shows_what_it_consumed_and_commits_it_at_its_end(orders: Cluster, app: Any) -> None:
    with served(app) as port:
        eventually("the orders are there", lambda: get(port, "/orders/3") == (200, {"id": 3}))
        assert get(port, "/orders/4") == (404, {"detail": "there is no order 4 yet"})
        status, health = get(port, "/live")
        assert (status, health["status"], health["problem"]) == (200, "stable", None)
        orders.wait_until(lambda: all(get(port, f"/orders/{number}")[0] == 200 for number in range(4)), GUARD_S)
    assert orders.committed("billing") == {("orders", 0): 2, ("orders", 1): 2}
    assert orders.group("billing").members == ()


def test_a_service_whose_consumer_failed_still_serves_and_says_what_is_wrong(orders: Cluster, app: Any) -> None:
    with served(app) as port:
        eventually("the orders are there", lambda: get(port, "/orders/0")[0] == 200)
        orders.produce("orders", ProducerRecord("poison", partition=0))
        eventually("it is not alive", lambda: get(port, "/live")[0] == 503)
        assert "JSONDecodeError" in get(port, "/live")[1]["problem"]
        assert get(port, "/orders/0") == (200, {"id": 0})
    assert orders.committed("billing")["orders", 0] == 2, "what is before it"
    assert orders.group("billing").members == (), "the consumer left all the same"


@pytest.mark.whole
def test_sigterm_ends_the_service_after_the_consumer_has_committed_and_left(orders: Cluster) -> None:
    served = ("-m", "uvicorn", "--app-dir", str(EXAMPLES), "fastapi_service:app", "--port", "0")
    with started_python(*served, environment={"BOOTSTRAP_SERVERS": orders.bootstrap_servers}) as program:
        port = program.await_said(r"running on http://127\.0\.0\.1:(\d+)")
        eventually("it has read all", lambda: all(get(port, f"/orders/{number}")[0] == 200 for number in range(4)))
        assert program.terminate() == -signal.SIGTERM, "uvicorn raises the signal again at its end"
    assert [line for line in program.errors if "Application shutdown complete" in line], program.errors
    assert orders.committed("billing") == {("orders", 0): 2, ("orders", 1): 2}
    assert orders.group("billing").members == ()


_PATIENCE = str(round(GUARD_S))
_UVICORN = ("--app-dir", str(EXAMPLES), "--port", "0", "--timeout-worker-healthcheck", _PATIENCE)
_GUNICORN = ("--chdir", str(EXAMPLES), "-b", "127.0.0.1:0", "--timeout", "0", "--graceful-timeout", _PATIENCE)

#: Servers on a free port, which kill no worker on a busy machine, by the modules that they need.
SERVERS = {
    "uvicorn": ("uvicorn", *_UVICORN),
    "gunicorn.workers.gasgi": ("gunicorn", *_GUNICORN, "-k", "asgi"),
    "uvicorn_worker": ("gunicorn", *_GUNICORN, "-k", "uvicorn_worker.UvicornWorker"),
}


@pytest.mark.whole
@pytest.mark.parametrize("module", SERVERS)
def test_each_of_two_workers_is_a_member_with_a_share_and_sigterm_ends_both(
    orders: Cluster, tmp_path: Path, module: str
) -> None:
    pytest.importorskip(module)
    served = ("-m", *SERVERS[module], "--workers", "2", "fastapi_service:app")
    environment = {"BOOTSTRAP_SERVERS": orders.bootstrap_servers, "HOME": str(tmp_path)}  # of gunicorn's socket

    def shares() -> list[int]:
        return [len(member.assignment or ()) for member in orders.group("billing").members]

    with started_python(*served, environment=environment) as program:
        try:
            port = program.await_said(r"(?:running on|Listening at:) http://127\.0\.0\.1:(\d+)")
            orders.wait_until(lambda: shares() == [1, 1], GUARD_S)
            for number in range(4):
                eventually("one of them has it", lambda number=number: get(port, f"/orders/{number}")[0] == 200)
        finally:
            code = program.terminate()  # its workers, too
        assert code == 0, program.errors
    assert orders.committed("billing") == {("orders", 0): 2, ("orders", 1): 2}
    assert orders.group("billing").members == ()
