"""Apache Kafka's own image, run by the command ``docker`` (or what ``KAFKA_DOCKER`` names, such as podman).

The name of the container is chosen in advance, so that the container is removed even if the tests end, or are killed,
while it is created.
"""

from __future__ import annotations

import os
import subprocess
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress

from kafka_nextgen.testing.real_kafka.guardian import end, guard
from kafka_nextgen.testing.real_kafka.single_node import NoKafkaError, on_free_ports, properties_of, wait_until_ready

__all__ = ["run_container"]

_LOG_LINES = "40"


def run_container(version: str, config: Mapping[str, str]) -> tuple[str, Callable[[], None]]:
    """Run ``apache/kafka`` of this version; return its address, and a function that removes the container.

    Raises NoKafkaError if docker is missing, can't run the image, or Kafka does not start.
    """
    return on_free_ports(2, lambda ports: _run(version, config, *ports))


def _run(version: str, config: Mapping[str, str], port: int, controller_port: int) -> tuple[str, Callable[[], None]]:
    properties = properties_of(
        version, config, bind="0.0.0.0", port=port, controller_port=controller_port, log_dir="/tmp/kafka"
    )
    variables = [f"--env={_variable(key)}={value}" for key, value in properties.items()]
    publish = f"--publish=127.0.0.1:{port}:{port}"
    container = f"kafka-nextgen-tests-{uuid.uuid4().hex[:12]}"
    removal = ("rm", "--force", "--volumes", container)
    _docker("version")  # checks that the docker daemon responds
    guardian = guard([_command(), *removal])

    def remove() -> None:
        try:
            _docker(*removal)
        finally:
            end(guardian)

    try:
        _docker("run", "--detach", f"--name={container}", publish, *variables, f"apache/kafka:{version}")
        wait_until_ready(
            port,
            is_alive=lambda: _docker("inspect", "--format={{.State.Running}}", container).strip() == "true",
            log_tail=lambda: _docker("logs", f"--tail={_LOG_LINES}", container),
        )
    except BaseException:
        with suppress(NoKafkaError):  # there may be none
            remove()
        raise
    return f"127.0.0.1:{port}", remove


def _variable(key: str) -> str:
    """The variable that the image turns back into this property."""
    return "KAFKA_" + key.upper().replace("_", "__").replace("-", "___").replace(".", "_")


def _command() -> str:
    return os.environ.get("KAFKA_DOCKER", "docker")


def _docker(*arguments: str) -> str:
    command = _command()
    try:
        done = subprocess.run([command, *arguments], capture_output=True, text=True, check=False)
    except OSError as error:
        raise NoKafkaError(f"{command} can't be run: {error}") from error
    if done.returncode != 0:
        raise NoKafkaError(f"{command} {arguments[0]} failed: {done.stderr.strip()[-2000:]}")
    return done.stdout + (done.stderr if arguments[0] == "logs" else "")
