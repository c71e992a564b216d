from __future__ import annotations

import signal
import subprocess
from urllib.request import urlopen

import pytest

from kafka_nextgen import GroupAdmin
from tests.cli.running import COMMAND, kafka_nextgen


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_broker_says_where_it_listens_serves_and_ends_on_a_signal(number: signal.Signals) -> None:
    arguments = ["broker", "--listen", "127.0.0.1:0", "--config", "num.partitions=2"]
    process = subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        servers = process.stdout.readline().removeprefix("Listening on ").strip()
        assert kafka_nextgen("produce", "orders", "-b", servers, stdin="one\n").returncode == 0
    finally:
        process.send_signal(number)
        rest = process.communicate(timeout=30)[0]
    assert (process.returncode, rest) == (0, "Stopped.\n")


def test_metrics_are_served_on_a_port_of_their_own() -> None:
    arguments = ["broker", "--listen", "127.0.0.1:0", "--metrics-port", "0"]
    process = subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        url = process.stdout.readline().removeprefix("Metrics at ").strip()
        servers = process.stdout.readline().removeprefix("Listening on ").strip()
        with GroupAdmin(bootstrap_servers=servers) as admin:
            assert admin.list().groups == ()
        with urlopen(url, timeout=10) as answer:
            assert 'kafka_group_coordinator_group_count{protocol="consumer"} 0.0' in answer.read().decode()
    finally:
        process.send_signal(signal.SIGTERM)
        rest = process.communicate(timeout=30)[0]
    assert (process.returncode, rest) == (0, "Stopped.\n")
