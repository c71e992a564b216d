"""What is printed about a program never has a secret of it: an expression is shown without its arguments."""

from __future__ import annotations

import pytest

from kafka_nextgen.migrating.programs import findings_in_program

CONFLUENT_KAFKA = "Consumer({'group.id': 'g', 'sasl.password': 's3cret'})"
KAFKA_PYTHON = "KafkaConsumer(bootstrap_servers='a:1', group_protocol='auto', sasl_plain_password='s3cret')"


@pytest.mark.parametrize(
    ("use", "shown"),
    [
        ("{}.poll()", "KafkaConsumer(...).poll()"),
        ("{}.poll(timeout_ms=5).items()", "KafkaConsumer(...).poll(...).items()"),
        ("{}.poll()[partition]", "KafkaConsumer(...).poll()[partition]"),
        ("{}.poll()[find(sasl_plain_password='s3cret')]", "KafkaConsumer(...).poll()[find(...)]"),
        ("next({}).checksum", "next(...).checksum"),
        ("{}.no_such_call()", "KafkaConsumer(...).no_such_call"),
        ("next({}).value = 1", "next(...).value = ..."),
    ],
)
def test_the_arguments_of_a_constructor_are_not_shown(use: str, shown: str) -> None:
    program = f"from kafka import KafkaConsumer\n{use.format(KAFKA_PYTHON)}\n"
    assert shown in [found.found for found in findings_in_program(program) if found.line == 2]
    assert "s3cret" not in "".join(map(str, findings_in_program(program)))


def test_a_comparison_shows_no_argument_either() -> None:
    program = f"from confluent_kafka import Consumer\n{CONFLUENT_KAFKA}.poll(1) is not None\n"
    assert "Consumer(...).poll(...) is not None" in [found.found for found in findings_in_program(program)]
    assert "s3cret" not in "".join(map(str, findings_in_program(program)))


def test_the_value_of_no_key_is_shown() -> None:
    keys = '"sasl.password": "s3cret", "ssl_password": "s3cret", "sasl.jaas.config": "s3cret", "pasword": "s3cret"'
    found = findings_in_program(f'from confluent_kafka import Consumer\nConsumer({{"group.id": "g", {keys}}})\n')
    assert "s3cret" not in "".join(map(str, found))
