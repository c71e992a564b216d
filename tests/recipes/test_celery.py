"""Celery tasks for records: a process that sends them, and a worker that does them, both ended by SIGTERM."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kafka_nextgen.testing import Cluster, ProducerRecord
from tests.recipes.programs import Program, started, started_python
from tests.support.example_programs import EXAMPLES
from tests.support.waiting import eventually

pytest.importorskip("celery")
pytestmark = pytest.mark.whole  # Celery takes seconds to start

WORKER = ("-m", "celery", "-A", "celery_orders", "worker", "-c", "2", "--without-gossip", "--without-mingle")


def environment(cluster: Cluster, home: Path, **settings: object) -> dict[str, str]:
    """What both processes are started with; ``settings`` are Celery's."""
    lines = [f"{name} = {value!r}" for name, value in {"worker_redirect_stdouts": False, **settings}.items()]
    (home / "celery_settings.py").write_text("\n".join(lines))
    return {
        "BOOTSTRAP_SERVERS": cluster.bootstrap_servers,
        "CELERY_CONFIG_MODULE": "celery_settings",
        "PYTHONPATH": os.pathsep.join([str(home), str(EXAMPLES)]),
    }


def in_folders(home: Path) -> dict[str, object]:
    """Celery's settings for a queue in files."""
    for name in ("queue", "control"):
        (home / name).mkdir()
    queue, control = str(home / "queue"), str(home / "control")
    folders = {"data_folder_in": queue, "data_folder_out": queue, "control_folder": control}
    return {"broker_url": "filesystem://", "broker_transport_options": {**folders, "polling_interval": 0.05}}


def charged(worker: Program) -> list[str]:
    return sorted(line for line in worker.lines if "charged" in line)  # others are Celery's


def test_each_record_becomes_a_task_and_what_was_sent_is_committed(cluster: Cluster, tmp_path: Path) -> None:
    cluster.produce("orders", [ProducerRecord({"id": number}, partition=number % 2) for number in range(4)])
    both = environment(cluster, tmp_path, **in_folders(tmp_path))
    with started_python(*WORKER, environment=both) as worker, started("celery_orders", environment=both) as program:
        eventually(
            "four tasks are done", lambda: len(charged(worker)) == 4, saw=lambda: (worker.errors, program.errors)
        )
        assert program.terminate() == 0, program.errors
        assert worker.terminate() == 0, worker.errors
    assert charged(worker) == [f"order {number} is charged" for number in range(4)]
    assert cluster.committed("billing") == {("orders", 0): 2, ("orders", 1): 2}
    assert cluster.group("billing").members == ()


def test_what_could_not_be_sent_is_not_committed(cluster: Cluster, tmp_path: Path) -> None:
    cluster.produce("orders", ProducerRecord({"id": 0}, partition=0))
    nowhere = environment(cluster, tmp_path, broker_url="amqp://127.0.0.1:1", task_publish_retry=False)
    with started("celery_orders", environment=nowhere) as program:
        assert program.wait() == 1
    assert "OperationalError" in "\n".join(program.errors)
    assert cluster.committed("billing").get(("orders", 0), 0) == 0
