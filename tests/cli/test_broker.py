from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.request import urlopen

import pytest

from kafka_nextgen import GroupAdmin
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.history.events import Event, EventKind
from kafka_nextgen.history.json_lines import decode_event
from kafka_nextgen.requests.api_versions import to_request
from kafka_nextgen.wire import apis
from tests.cli.running import COMMAND, Running, kafka_nextgen, running
from tests.support.waiting import GUARD_S, eventually
from tests.testing.broker.client import Client
from tests.testing.broker.group_requests import is_joined
from tests.testing.broker.requests import metadata
from tests.testing.broker.security.logging_in import log_in

ANYWHERE = ("--listen", "127.0.0.1:0")


@contextmanager
def running_broker(*options: str, number: signal.Signals = signal.SIGTERM) -> Iterator[Running]:
    with running("broker", *options, number=number) as broker:
        yield broker
    assert broker.rest == "Stopped.\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_broker_says_where_it_listens_serves_and_ends_on_a_signal(number: signal.Signals) -> None:
    with running_broker(*ANYWHERE, "--config", "num.partitions=2", number=number) as broker:
        assert kafka_nextgen("produce", "orders", "-b", broker.servers(), stdin="one\n").returncode == 0


@pytest.mark.parametrize("pause_s", [0.0, 0.02])
def test_another_sigterm_does_not_change_how_the_broker_ends(pause_s: float) -> None:
    process = subprocess.Popen([*COMMAND, "broker", "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    said = process.stdout.readline()
    threading.Event().wait(pause_s)
    process.send_signal(signal.SIGTERM)  # its event loop, and then Python, come to an end just now
    process.communicate(timeout=GUARD_S)
    assert (process.returncode, said) == (0, "Stopped.\n")


#: The command in the main thread. Another thread takes a SIGTERM when a line comes in.
_SIGNALLED_IN_A_THREAD = """
import signal, sys, threading
from kafka_nextgen.cli.main import cli

def take_signal():
    sys.stdin.readline()
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
    sys.stdin.readline()

threading.Thread(target=take_signal, daemon=True).start()
cli(["broker", "--listen", "127.0.0.1:0"])
"""


def test_an_idle_broker_ends_on_a_sigterm_that_another_thread_took() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", _SIGNALLED_IN_A_THREAD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        process.stdout.readline()
        process.stdin.write("now\n")
        process.stdin.flush()
        assert process.stdout.readline() == "Stopped.\n"
        assert process.wait(timeout=GUARD_S) == 0
    finally:
        process.kill()
        process.communicate()


def test_the_broker_can_be_that_release_of_kafka_and_nothing_else() -> None:
    with running_broker(*ANYWHERE, "--no-extensions") as broker, Client(broker.servers()) as client:
        told = client.ask(apis.API_VERSIONS, to_request("1"))
    assert max(api.api_key for api in told.api_keys) < min(apis.EXTENSIONS)


def test_metrics_are_served_on_a_port_of_their_own() -> None:
    with running_broker(*ANYWHERE, "--metrics-port", "0") as broker:
        url = broker.line().removeprefix("Metrics at ")
        with GroupAdmin(bootstrap_servers=broker.servers()) as admin:
            assert admin.list().groups == ()
        with urlopen(url, timeout=GUARD_S) as answer:
            assert 'kafka_group_coordinator_group_count{protocol="consumer"} 0.0' in answer.read().decode()


def test_the_broker_lets_users_log_in_and_keeps_to_rules_from_files(tmp_path: Path) -> None:
    users, rules = tmp_path / "users", tmp_path / "rules"
    users.write_text("# who may log in\nalice=alice=secret\n")
    rules.write_text("allow User:alice CREATE,READ TOPIC orders\n")
    listen = ["--config", "listeners=SASL_PLAINTEXT://:0,PLAINTEXT://:0"]
    with running_broker(*listen, "--users", str(users), "--rules", str(rules)) as broker:
        sasl, plain = broker.servers(), broker.servers()
        assert sasl.endswith(" (SASL_PLAINTEXT)")
        with Client(sasl.split()[0]) as alice:
            assert log_in(alice, "alice", "alice=secret").error_code == ErrorCode.NONE
            assert metadata(alice, "orders", may_create=True).topics[0].error_code == ErrorCode.NONE
        with Client(plain) as nobody:
            assert metadata(nobody, "orders").topics[0].error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED


def test_a_users_file_that_is_none_is_refused_without_showing_passwords(tmp_path: Path) -> None:
    users = tmp_path / "users"
    users.write_text("alice=hunter2\nalice=hunter2\n")
    done = kafka_nextgen("broker", "--users", str(users))
    assert done.returncode != 0
    assert "line 2 of the users file is not NAME=PASSWORD" in done.stderr
    assert "hunter2" not in done.stderr


def test_metrics_without_the_extra_are_refused_before_anything_listens() -> None:
    program = "import sys; sys.modules['prometheus_client'] = None; from kafka_nextgen.cli.main import main; main()"
    command = [sys.executable, "-c", program, "broker", "--listen", "127.0.0.1:0", "--metrics-port", "0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=GUARD_S, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install 'kafka-nextgen[prometheus]'" in done.stderr


def test_what_happens_to_groups_is_appended_to_a_file(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    for number in range(2):
        with running_broker(*ANYWHERE, "--history", str(path)) as broker, Client(broker.servers()) as client:
            eventually("there is a coordinator", partial(is_joined, client, f"billing-{number}"))
        events = [decode_event(line) for line in path.read_text().splitlines()]
        assert all(isinstance(event, Event) for event in events)
        groups = [event.group for event in events if isinstance(event, Event) and event.kind is EventKind.JOINED]
        assert groups == [f"billing-{each}" for each in range(number + 1)]


def test_a_history_that_can_not_be_written_is_told_at_once(tmp_path: Path) -> None:
    done = kafka_nextgen("broker", "--listen", "127.0.0.1:0", "--history", str(tmp_path / "none" / "events"))
    assert done.returncode != 0
    assert "must be a file in an existing directory" in done.stderr


def test_clients_meet_the_faults_of_a_file_and_the_broker_tells_how_often(tmp_path: Path) -> None:
    file = tmp_path / "faults"
    file.write_text(
        "Metadata error=LEADER_NOT_AVAILABLE topic=orders times=1\nFetch lose_tail=1 topic=later partition=0\n"
    )
    with running("broker", *ANYWHERE, "--faults", str(file), code=1) as broker:
        with Client(broker.servers()) as client:
            codes = [metadata(client, "orders").topics[0].error_code for _ in range(2)]
        assert codes[0] == ErrorCode.LEADER_NOT_AVAILABLE != codes[1]
    assert broker.rest == (
        "error LEADER_NOT_AVAILABLE for Metadata of orders (times=1): met 1 time\n"
        "the fault was never met: lost tail of 1 records for Fetch of later[0] (times=1); "
        "meanwhile the cluster received 2 Metadata from client 'tests'\n"
    )
    assert broker.errors.endswith("1 of 2 faults were never met\n")


def test_a_faults_file_that_makes_no_sense_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "faults"
    file.write_text("Fetch silent=yes\n")
    refused = kafka_nextgen("broker", *ANYWHERE, "--faults", str(file))
    assert (refused.returncode, "line 1 of the faults file: silent takes no value" in refused.stderr) == (2, True)
