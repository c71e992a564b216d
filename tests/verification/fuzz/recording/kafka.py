"""A real Kafka whose clients reach it through a proxy: a listener without and one with SASL, and an authorizer."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attrs import frozen

from kafka_nextgen.testing.real_kafka.maven import find_java
from kafka_nextgen.testing.real_kafka.single_node import free_ports
from tests.support.capturing_proxy import CapturingProxy
from tests.support.kafka_from_maven import fetch_jars, log_tail_of, start_node
from tests.support.kafka_properties import as_file, single_node
from tests.support.kafka_readiness import wait_until_ready

USER, PASSWORD = "alice", "wonderland"


@frozen
class Listened:
    """Where clients find the broker through the proxy."""

    servers: str
    sasl_servers: str


@contextmanager
def listened_kafka(version: str, proxy: CapturingProxy) -> Iterator[Listened]:
    """Run a broker of ``version`` behind ``proxy``."""
    java, jars = find_java(), fetch_jars(version)
    home = Path(tempfile.mkdtemp(prefix="kafka-listened-"))
    port, sasl_port, controller_port = free_ports(3)
    listened = Listened(f"127.0.0.1:{proxy.listen(port)}", f"127.0.0.1:{proxy.listen(sasl_port)}")
    config = home / "server.properties"
    plain = single_node(
        version,
        bind="127.0.0.1",
        port=port,
        controller_port=controller_port,
        log_dir=(home / "data").as_posix(),
    )
    config.write_text(as_file(plain | _ways(plain, listened, sasl_port)))
    process = start_node(java, jars, config, home / "log")
    try:
        wait_until_ready(
            listened.servers,
            timeout_s=90,
            is_alive=lambda: process.poll() is None,
            log_tail=lambda: log_tail_of(home / "log"),
        )
        yield listened
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(home, ignore_errors=True)


def _ways(plain: dict[str, str], listened: Listened, sasl_port: int) -> dict[str, str]:
    module = f"org.apache.kafka.common.security.plain.PlainLoginModule required user_{USER}={PASSWORD};"
    scram = "org.apache.kafka.common.security.scram.ScramLoginModule required;"
    return {
        "listeners": f"{plain['listeners']},SASL_PLAINTEXT://127.0.0.1:{sasl_port}",
        "advertised.listeners": f"PLAINTEXT://{listened.servers},SASL_PLAINTEXT://{listened.sasl_servers}",
        "listener.security.protocol.map": f"{plain['listener.security.protocol.map']},SASL_PLAINTEXT:SASL_PLAINTEXT",
        "inter.broker.listener.name": "PLAINTEXT",
        "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
        "listener.name.sasl_plaintext.plain.sasl.jaas.config": module,
        "listener.name.sasl_plaintext.scram-sha-256.sasl.jaas.config": scram,
        "listener.name.sasl_plaintext.scram-sha-512.sasl.jaas.config": scram,
        "connections.max.reauth.ms": "60000",
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": f"User:{USER};User:ANONYMOUS",
    }
