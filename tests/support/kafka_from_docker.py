"""Apache Kafka's own image, run by testcontainers where a Docker daemon answers."""

from __future__ import annotations

from kafka_nextgen.testing.real_kafka.single_node import NoKafkaError, free_ports
from tests.support.kafka_properties import as_environment, single_node
from tests.support.kafka_readiness import wait_until_ready
from tests.support.kafka_server import KafkaServer


def start_from_docker(version: str) -> KafkaServer:
    """Start a container of ``apache/kafka``; ``NoKafkaError`` if there is no daemon or no image."""
    try:
        import docker
        from docker.errors import DockerException
        from testcontainers.core.container import DockerContainer
    except ImportError as error:
        raise NoKafkaError(f"testcontainers is not installed: {error}") from error
    try:
        docker.from_env(timeout=5).ping()
        port = free_ports(1)[0]
        container = _describe(DockerContainer(f"apache/kafka:{version}"), version, port).start()
    except DockerException as error:
        raise NoKafkaError(f"Docker can't run apache/kafka:{version}: {error}") from error
    try:
        wait_until_ready(
            f"127.0.0.1:{port}",
            is_alive=lambda: container.get_wrapped_container().status != "exited",
            log_tail=lambda: b"".join(container.get_logs()).decode(errors="replace")[-4000:],
        )
    except BaseException:
        container.stop()
        raise
    return KafkaServer(f"127.0.0.1:{port}", version, container.stop)


def _describe(container, version: str, port: int):  # type: ignore[no-untyped-def]  # testcontainers is optional here
    properties = single_node(version, bind="0.0.0.0", port=port, controller_port=port + 1, log_dir="/tmp/kafka")
    for name, value in as_environment(properties).items():
        container.with_env(name, value)
    return container.with_bind_ports(port, port)
