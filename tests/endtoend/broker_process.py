"""A broker as a process of its own on a data directory, that is killed and comes back on its port."""

from __future__ import annotations

import subprocess
from pathlib import Path

from kafka_nextgen.testing.real_kafka.single_node import free_ports
from tests.cli.running import COMMAND


class BrokerProcess:
    """``kafka-nextgen broker --data-dir``; leaving the context kills it."""

    def __init__(self, data_dir: Path, *config: str) -> None:
        self.bootstrap_servers = f"127.0.0.1:{free_ports(1)[0]}"
        self.log = data_dir.with_name(f"{data_dir.name}.log")
        self._command = [*COMMAND, "broker", "--listen", self.bootstrap_servers, "--data-dir", str(data_dir)]
        self._command += [argument for setting in config for argument in ("--config", setting)]
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> BrokerProcess:
        self.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.kill()

    def start(self) -> None:
        """Start the process, and return once it listens."""
        with self.log.open("a") as log:
            self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE, stderr=log, text=True)
        assert self._process.stdout is not None
        told = self._process.stdout.readline()
        assert told.startswith("Listening on "), f"the broker did not start:\n{self.log.read_text()}"

    def kill(self) -> None:
        """SIGKILL, wherever it is."""
        assert self._process is not None
        self._process.kill()
        self._process.communicate()
