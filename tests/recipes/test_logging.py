"""Logs as lines of JSON: the application's and the library's, with the record that was being handled."""

from __future__ import annotations

import json

from kafka_nextgen.testing import Cluster, ProducerRecord
from tests.recipes.programs import started
from tests.support.waiting import GUARD_S


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
