"""The notebook, cell by cell: on the event loop of a test, and in a kernel of Jupyter that is interrupted and ended."""

from __future__ import annotations

import ast
import asyncio
import json
import signal
from collections.abc import Iterator
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from attrs import define

from kafka_nextgen.testing import Cluster, ProducerRecord
from tests.recipes.programs import Program, started_python
from tests.support.example_programs import EXAMPLES
from tests.support.waiting import GUARD_S, eventually

NOTEBOOK = json.loads((EXAMPLES / "notebook.ipynb").read_text())
CODE = [cell for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]
SPENT = "Counter({'customer 0': 18, 'customer 2': 15, 'customer 1': 12})"


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


@pytest.fixture
def orders(cluster: Cluster) -> Cluster:
    """Orders whose prices are 0 to 9, of three customers in turn."""
    write(cluster, *range(10))
    return cluster


def write(cluster: Cluster, *prices: int) -> None:
    records = ({"customer": f"customer {price % 3}", "price": price} for price in prices)
    cluster.produce("orders", [ProducerRecord(order, partition=order["price"] % 2) for order in records])


def test_the_notebook_is_stored_without_outputs() -> None:
    assert [(cell["outputs"], cell["execution_count"]) for cell in CODE] == [([], None)] * len(CODE)


def test_all_cells_read_the_topic_and_commit(orders: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without those that are about the process of the kernel."""
    monkeypatch.setenv("BOOTSTRAP_SERVERS", orders.bootstrap_servers)
    found: dict[str, Any] = {}

    async def run() -> None:
        for cell in CODE:
            if "kernel" not in cell["metadata"].get("tags", ()):
                code = compile(source(cell), "cell", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
                waiting = eval(code, found)
                if waiting is not None:
                    await waiting

    asyncio.run(run())
    assert str(found["spent"]) == SPENT
    assert orders.committed("notebook") == {("orders", 0): 5, ("orders", 1): 5}
    assert orders.group("notebook").members == ()


# ---- in a kernel


@define
class Kernel:
    """A kernel of Jupyter, and a client of it."""

    program: Program
    client: Any

    def run(self, code: str) -> tuple[dict[str, Any], list[dict[str, str]]]:
        """Return the reply to a cell, and the data that it shows, by their types."""
        shown: list[dict[str, str]] = []

        def show(message: dict[str, Any]) -> None:
            if message["msg_type"] == "execute_result":
                shown.append(message["content"]["data"])

        reply = self.client.execute_interactive(code, output_hook=show, allow_stdin=False, timeout=GUARD_S)
        return reply["content"], shown

    def run_cells(self, cells: list[dict[str, Any]]) -> list[dict[str, str]]:
        """Run these cells of the notebook, and return the data that they show."""
        found = []
        for cell in cells:
            reply, shown = self.run(source(cell))
            assert reply["status"] == "ok", reply
            found += shown
        return found

    def interrupt(self, code: str) -> str:
        """Interrupt a cell that says "begun" and waits, as Jupyter does; return the name of its error."""
        request = self.client.execute(code)
        while True:
            said = self.client.get_iopub_msg(timeout=GUARD_S)
            if said["msg_type"] == "stream" and "begun" in said["content"]["text"]:
                break
        self.program.process.send_signal(signal.SIGINT)
        while True:
            reply = self.client.get_shell_msg(timeout=GUARD_S)
            if reply["parent_header"]["msg_id"] == request:
                return str(reply["content"]["ename"])


def shows(client: Any) -> bool:
    """Ask the kernel for its version; return whether the client hears of it on the channel for output, too."""
    client.kernel_info()
    client.get_shell_msg(timeout=GUARD_S)
    try:
        client.get_iopub_msg(timeout=0.2)
    except Empty:
        return False
    return True


@pytest.fixture
def kernel(orders: Cluster, tmp_path: Path) -> Iterator[Kernel]:
    pytest.importorskip("ipykernel")
    from jupyter_client.blocking.client import BlockingKernelClient
    from jupyter_client.connect import write_connection_file

    file, _ = write_connection_file(str(tmp_path / "kernel.json"))
    environment = {"BOOTSTRAP_SERVERS": orders.bootstrap_servers, "IPYTHONDIR": str(tmp_path)}
    with started_python("-m", "ipykernel_launcher", "-f", file, environment=environment) as program:
        client = BlockingKernelClient(connection_file=file)
        client.load_connection_file()
        client.start_channels(hb=False)  # a kernel on a busy machine misses heartbeats
        try:
            eventually("the kernel shows what it does", lambda: shows(client))
            yield Kernel(program, client)
        finally:
            client.stop_channels()


@pytest.mark.whole
def test_a_kernel_shows_the_consumer_and_what_it_read(orders: Cluster, kernel: Kernel) -> None:
    first, consumer, spent = kernel.run_cells(CODE)
    assert "customer" in first["text/plain"]
    assert consumer["text/plain"].startswith(
        "<AsyncConsumer of group notebook: subscribed to orders, assigned orders[0-1]"
    )
    assert "<td>orders[1]</td><td>5</td><td>0</td>" in consumer["text/html"]
    assert spent["text/plain"] == SPENT
    assert orders.committed("notebook") == {("orders", 0): 5, ("orders", 1): 5}
    assert orders.group("notebook").members == ()


@pytest.mark.whole
@pytest.mark.parametrize("ending", ["SIGTERM", "shutdown"])
def test_a_cell_can_be_interrupted_and_the_member_leaves_with_the_kernel(
    orders: Cluster, kernel: Kernel, ending: str
) -> None:
    kernel.run_cells(CODE[:-1])
    kernel.run("await consumer.commit()")
    assert kernel.interrupt("print('begun')\nwhile True: await consumer.poll(timeout=60)") == "CancelledError"
    write(orders, 10)
    (shown,) = kernel.run_cells([{"source": "[record.offset async for record in consumer]"}])
    assert shown["text/plain"] == "[5]", "the loop after it goes on"
    assert len(orders.group("notebook").members) == 1
    if ending == "SIGTERM":
        assert kernel.program.terminate() == 0, kernel.program.errors
    else:
        kernel.client.shutdown()
        assert kernel.program.wait() == 0, kernel.program.errors
    assert orders.group("notebook").members == ()
    assert orders.committed("notebook") == {("orders", 0): 5, ("orders", 1): 5}, "what a cell committed"
