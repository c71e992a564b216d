"""``kafka-nextgen migrate`` prints what to change, and changes nothing."""

from __future__ import annotations

from pathlib import Path

from tests.cli.running import kafka_nextgen

PROGRAM = "from kafka import KafkaConsumer\nconsumer = KafkaConsumer(bootstrap_servers='a:1', group_protocol='auto')\n"


def test_programs_and_properties_are_read_and_not_changed(tmp_path: Path) -> None:
    program, ported, keys = tmp_path / "a.py", tmp_path / "b.py", tmp_path / "c.properties"
    program.write_text(f"{PROGRAM}consumer.highwater(tp)\n")
    ported.write_text("from kafka_nextgen import Consumer\n")
    keys.write_text("auto.offset.reset=largest\n")
    done = kafka_nextgen("migrate", str(program), str(ported), str(keys))
    assert (done.returncode, done.stderr) == (0, "")
    first, *rest = done.stdout.splitlines()
    assert first.startswith(f"{program}:1: KafkaConsumer -> Consumer (takes no topics: ")
    assert rest == [
        f"{program}:3: consumer.highwater() -> lag()[partition] (how far the position is behind the high watermark)",
        f"{ported}: uses neither confluent-kafka, kafka-python nor aiokafka",
        f"{keys}:1: auto.offset.reset=largest -> auto.offset.reset=latest",
    ]
    assert program.read_text() == f"{PROGRAM}consumer.highwater(tp)\n"


def test_a_file_that_is_no_python_is_named(tmp_path: Path) -> None:
    program = tmp_path / "old.py"
    program.write_text("print 'Python 2'\n")
    done = kafka_nextgen("migrate", str(program))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"Error: {program} is not a Python program: ")
