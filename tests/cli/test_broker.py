from __future__ import annotations

import signal
import subprocess

import pytest

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
