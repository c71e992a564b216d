"""A real broker that asks who one is, and what one may do: SASL on a listener, and the authorizer of KRaft.

The listener that asks nothing is there as well, for the broker itself and to see whether it is ready: whoever comes by
it is ANONYMOUS, and may do everything.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from attrs import define

from tests.support.kafka_from_maven import class_options, fetch_jars, find_java, log_tail_of, start_node
from tests.support.kafka_properties import as_file, free_ports, single_node
from tests.support.kafka_readiness import wait_until_ready

__all__ = ["GuardedKafka", "start_guarded"]


@define
class GuardedKafka:
    """A broker while it runs; ``sasl_servers`` is where SASL PLAIN is spoken without TLS."""

    sasl_servers: str
    _process: subprocess.Popen[bytes]
    _home: Path

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._home, ignore_errors=True)


def start_guarded(version: str, passwords: Mapping[str, str], super_user: str) -> GuardedKafka:
    """Start a broker of ``version`` with these users; ``NoKafkaError`` if Java or the jars are missing."""
    java, jars = find_java(), fetch_jars(version)
    options = class_options(java, jars, version)
    home = Path(tempfile.mkdtemp(prefix=f"kafka-guarded-{version}-"))
    port, sasl_port, controller_port = free_ports(3)
    plain = single_node(
        version,
        bind="127.0.0.1",
        advertised="127.0.0.1",
        port=port,
        controller_port=controller_port,
        log_dir=(home / "data").as_posix(),
    )
    config = home / "server.properties"
    config.write_text(as_file(plain | _guards(plain, sasl_port, passwords, super_user)))
    guarded = GuardedKafka(f"127.0.0.1:{sasl_port}", start_node(java, jars, config, home / "log", options), home)
    try:
        wait_until_ready(
            f"127.0.0.1:{port}",
            is_alive=lambda: guarded._process.poll() is None,
            log_tail=lambda: log_tail_of(home / "log"),
        )
    except BaseException:
        guarded.stop()
        raise
    return guarded


def _guards(plain: Mapping[str, str], sasl_port: int, passwords: Mapping[str, str], super_user: str) -> dict[str, str]:
    users = " ".join(f'user_{name}="{password}"' for name, password in passwords.items())
    login = f"org.apache.kafka.common.security.plain.PlainLoginModule required {users};"
    sasl = f"SASL_PLAINTEXT://127.0.0.1:{sasl_port}"
    return {
        "listeners": f"{plain['listeners']},{sasl}",
        "advertised.listeners": f"{plain['advertised.listeners']},{sasl}",
        "listener.security.protocol.map": f"{plain['listener.security.protocol.map']},SASL_PLAINTEXT:SASL_PLAINTEXT",
        "inter.broker.listener.name": "PLAINTEXT",
        "sasl.enabled.mechanisms": "PLAIN",
        "listener.name.sasl_plaintext.plain.sasl.jaas.config": login,
        "connection.failed.authentication.delay.ms": "0",
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "auto.create.topics.enable": "true",
        "super.users": f"User:{super_user};User:ANONYMOUS",
    }
