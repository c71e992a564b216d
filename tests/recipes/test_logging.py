"""Logs as lines of JSON: the application's and the library's, with the record that was being handled."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from kafka_nextgen.testing import Cluster, ProducerRecord
from tests.recipes.programs import started, started_python
from tests.support.example_programs import EXAMPLES
from tests.support.waiting import GUARD_S

PAGE = EXAMPLES.parent / "docs" / "guides" / "recipes" / "logging.md"

#: What follows the configuration of structlog on the page.
WORKER = """
import sys
from kafka_nextgen import Consumer

with Consumer(
    bootstrap_servers=sys.argv[1], group_id="billing", auto_offset_reset="earliest", enable_auto_commit=False
) as consumer:
    consumer.hooks.add(RecordContext())
    consumer.run(lambda record: structlog.get_logger("billing").info("handled", order=7), ["orders"])
"""


def test_each_line_is_json_with_the_record_that_was_handled_and_sigterm_commits(cluster: Cluster) -> None:
    cluster.produce("orders", [ProducerRecord({"id": number}, partition=number % 2) for number in range(4)])
    cluster.produce("orders", ProducerRecord("poison", partition=1))
    arguments = ("--bootstrap-servers", cluster.bootstrap_servers, "--group", "billing")
    with started("logging_as_json", *arguments) as program:
        cluster.wait_until(lambda: any("giving up" in line for line in program.errors), GUARD_S)
        cluster.wait_until(lambda: sum("is handled" in line for line in program.errors) == 4, GUARD_S)
        assert program.terminate() == 0, program.errors
    lines = [json.loads(line) for line in program.errors]
    own = {line["message"]: line for line in lines if line["logger"] == "billing"}
    for number in range(4):
        line = own[f"order {number} is handled"]
        assert (line["level"], line["topic"], line["partition"], line["offset"]) == (
            "INFO",
            "orders",
            number % 2,
            number // 2,
        )
    failed = own["giving up"]
    assert (failed["level"], failed["partition"], failed["offset"]) == ("ERROR", 1, 2)
    assert failed["exception"].endswith("JSONDecodeError: Expecting value: line 1 column 1 (char 0)")
    of_library = [line for line in lines if line["logger"] == "kafka_nextgen.member"]
    assert any("orders[0-1]" in line["message"] for line in of_library), "the assignment"
    assert not any("offset" in line for line in of_library), "it is about no record"
    assert cluster.committed("billing") == {("orders", 0): 2, ("orders", 1): 3}
    assert cluster.group("billing").members == ()


def test_the_page_has_the_configuration_of_structlog(cluster: Cluster, tmp_path: Path) -> None:
    pytest.importorskip("structlog")
    (configuration,) = re.findall(r"^## structlog\n.*?```python\n(.*?)```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    program = tmp_path / "program.py"
    program.write_text(configuration + WORKER)
    cluster.produce("orders", ProducerRecord("order", partition=1))
    with started_python(str(program), cluster.bootstrap_servers) as running:
        cluster.wait_until(lambda: any('"handled"' in line for line in running.errors), GUARD_S)
        assert running.terminate() == 0, running.errors
    lines = [json.loads(line) for line in running.errors]
    (own,) = [line for line in lines if line["logger"] == "billing"]
    assert (own["event"], own["level"], own["order"]) == ("handled", "info", 7)
    assert (own["topic"], own["partition"], own["offset"]) == ("orders", 1, 0)
    of_library = [line for line in lines if line["logger"] == "kafka_nextgen.member"]
    assert any("orders[0-1]" in line["event"] for line in of_library), "the assignment"
    assert not any("offset" in line for line in of_library), "it is about no record"
    assert cluster.committed("billing")["orders", 1] == 1
    assert cluster.group("billing").members == ()
