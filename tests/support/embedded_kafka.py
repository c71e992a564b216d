"""The broker of ``kafka_nextgen.testing``, dressed as the real ones are."""

from __future__ import annotations

from tests.support.kafka_server import BROKER_SETTINGS, KafkaServer

__all__ = ["start_embedded_kafka"]


def start_embedded_kafka() -> KafkaServer:
    """Start a cluster of one embedded broker with the same settings as a real one has in tests."""
    from kafka_nextgen.testing import Cluster

    cluster = Cluster(brokers=1, config=BROKER_SETTINGS)
    cluster.__enter__()
    return KafkaServer(cluster.bootstrap_servers, "embedded", lambda: cluster.__exit__(None, None, None))
