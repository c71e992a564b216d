"""A real broker that asks who one is, and what one may do: SASL on a listener, and the authorizer of KRaft.

The listener that asks nothing is there as well, for the broker itself and to see whether it is ready: whoever comes by
it is ANONYMOUS, and may do everything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import frozen

from tests.support.kafka_from_maven import Node, run_node


@frozen
class GuardedKafka:
    """A broker while it runs; ``sasl_servers`` is where SASL PLAIN is spoken without TLS."""

    sasl_servers: str
    stop: Callable[[], None]


def start_guarded(version: str, passwords: Mapping[str, str], super_user: str) -> GuardedKafka:
    """Start a broker of ``version`` with these users; ``NoKafkaError`` if Java or the jars are missing."""

    def add(node: Node, plain: Mapping[str, str]) -> dict[str, str]:
        return _guards(plain, node.more_ports[0], passwords, super_user)

    node = run_node(version, add, more_ports=1)
    return GuardedKafka(f"127.0.0.1:{node.more_ports[0]}", node.stop)


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
