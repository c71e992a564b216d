"""``kafka-nextgen migrate`` prints what to change, and changes nothing."""

from __future__ import annotations

import json
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
        f"{ported}: nothing to change",
        f"{keys}:1: auto.offset.reset=largest -> auto.offset.reset=latest",
    ]
    assert program.read_text() == f"{PROGRAM}consumer.highwater(tp)\n"


def test_the_programs_of_a_directory_are_read_and_may_become_json(tmp_path: Path) -> None:
    for name in ("a/one.py", ".git/two.py", "a/three.txt", "env/lib/four.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(PROGRAM)
    (tmp_path / "env" / "pyvenv.cfg").touch()
    (tmp_path / "ported.py").write_text("import kafka_nextgen\n")
    (tmp_path / "old.py").write_text("print 'Python 2'\n")
    done = kafka_nextgen("migrate", "--json", str(tmp_path))
    assert done.stderr.startswith(f"Warning: {tmp_path / 'old.py'} is not a Python program: ")
    assert json.loads(done.stdout) == [
        {
            "file": str(tmp_path / "a" / "one.py"),
            "line": 1,
            "found": "KafkaConsumer",
            "here": "Consumer",
            "note": "takes no topics: subscribe() to them. It connects with the first call",
        }
    ]


def test_a_file_that_is_no_python_is_named(tmp_path: Path) -> None:
    program = tmp_path / "old.py"
    program.write_text("print 'Python 2'\n")
    done = kafka_nextgen("migrate", str(program))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"Error: {program} is not a Python program: ")
