"""The broker of ``kafka_nextgen.testing``, dressed as the real ones are."""

from __future__ import annotations

from tests.support.kafka_server import BROKER_SETTINGS, KafkaServer


def start_embedded_kafka(profile: str) -> KafkaServer:
    """Start a cluster of one embedded broker, like that release, with the settings of a real one but for its delay."""
    from kafka_nextgen.testing import Cluster

    config = {**BROKER_SETTINGS, "group.initial.rebalance.delay.ms": "0"}
    cluster = Cluster(brokers=1, config=config, profile=profile)
    cluster.__enter__()
    return KafkaServer(cluster.bootstrap_servers, f"embedded {profile}", lambda: cluster.__exit__(None, None, None))
