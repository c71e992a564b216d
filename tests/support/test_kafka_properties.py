from __future__ import annotations

from tests.support.kafka_properties import as_environment, as_file, free_ports


def test_properties_become_a_file_with_one_line_each() -> None:
    assert as_file({"node.id": "1", "log.dirs": "/data"}) == "node.id=1\nlog.dirs=/data\n"


def test_properties_become_the_variables_of_the_image() -> None:
    assert as_environment({"group.consumer.session.timeout.ms": "6000"}) == {
        "KAFKA_GROUP_CONSUMER_SESSION_TIMEOUT_MS": "6000"
    }


def test_free_ports_differ() -> None:
    assert len(set(free_ports(5))) == 5
