"""Coroutine functions are run in turned time; connections with and without TLS."""

from __future__ import annotations

import asyncio
import gc
import inspect
from collections.abc import Coroutine, Iterator

import pytest

from kafka_nextgen.properties.value_types import ServerAddress
from tests.support.certificates import Certificates
from tests.support.kafka_properties import refusing_socket
from tests.support.turning_loop import TurningLoop
from tests.transport.numbered import Line
from tests.transport.security.tls_sides import server_side, tls


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a coroutine function on a loop of its own; a task that is left running or an unhandled error fails it."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    given = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}
    loop = TurningLoop()
    try:
        loop.run_until_complete(_alone(pyfuncitem.obj(**given)))
        loop.run_until_complete(loop.shutdown_default_executor())
    finally:
        loop.close()
    return True


async def _alone(test: Coroutine[object, object, None]) -> None:
    unnoticed: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: unnoticed.append(context))
    await test
    await asyncio.sleep(0)
    gc.collect()
    assert unnoticed == []
    assert [task for task in asyncio.all_tasks() if _is_ours(task)] == []


def _is_ours(task: asyncio.Task[object]) -> bool:
    frames = task.get_stack(limit=1)
    return bool(frames) and frames[0].f_globals["__name__"].startswith("kafka_nextgen.")


@pytest.fixture
def dead_server() -> Iterator[ServerAddress]:
    with refusing_socket() as bound:
        yield ServerAddress(*bound.getsockname())


@pytest.fixture(params=["plain", "TLS"])
def line(request: pytest.FixtureRequest, certificates: Certificates) -> Line:
    if request.param == "plain":
        return Line()
    return Line(server_side(certificates.broker), {"security": tls(ssl_ca_location=certificates.authority)})
