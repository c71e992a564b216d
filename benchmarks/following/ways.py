"""Five things that a consumer does, each done once before it is followed, on a cluster in this process.

Run as ``python -m benchmarks.following.ways [NAME ...]``; prints as JSON the functions that each enters.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from confluent_kafka import Producer

from benchmarks.following.entered import Entered, Place, following
from kafka_nextgen import Consumer, TopicPartition
from kafka_nextgen.testing import Cluster

TOPIC = "followed"
RECEIVED = Place("transport/connection.py", "buffer_updated")
HEARTBEAT_DUE = Place("engine/member/consumer_driver.py", "_wake")
HEARTBEAT_TAKEN = Place("engine/member/consumer_driver.py", "_take")

NO_SETTINGS: Mapping[str, object] = {}
EVERY_SECOND = {"group.consumer.heartbeat.interval.ms": 1000, "group.consumer.min.heartbeat.interval.ms": 1000}

#: How long (seconds) a heartbeat may take to come.
GUARD_S = 30.0
#: By when (seconds) the loop waits for the record that is followed.
_UNTIL_WAITING_S = 0.3


def _is_consumers(thread: str) -> bool:
    return thread == "MainThread" or thread.startswith(("kafka_nextgen ", "kafka-nextgen-decoder"))


def _is_main(thread: str) -> bool:
    return thread == "MainThread"


def _produce(cluster: Cluster, count: int = 1) -> None:
    producer = Producer({"bootstrap.servers": cluster.bootstrap_servers})
    for number in range(count):
        producer.produce(TOPIC, b"%d" % number, partition=0)
    producer.flush()


@contextmanager
def _consumer(cluster: Cluster, entered: Entered, settings: Mapping[str, object] = NO_SETTINGS) -> Iterator[Consumer]:
    """One whose fetches wait until there is a record, with nothing else going on."""
    config: dict[str, object] = {
        "bootstrap.servers": cluster.bootstrap_servers,
        "auto.offset.reset": "earliest",
        "fetch.max.wait.ms": 20_000,
        **settings,
    }
    with following(entered), Consumer(config) as consumer:
        yield consumer


def fetched_answer(cluster: Cluster) -> Entered:
    """From the socket to the record in the loop: a Fetch answer with one record that the loop waits for."""
    entered = Entered(_is_consumers)
    with _consumer(cluster, entered) as consumer:
        consumer.assign([TopicPartition(TOPIC, 0)])
        _produce(cluster)
        for number, _ in enumerate(consumer):
            entered.stop()
            if number == 2:
                return entered
            entered.begin_at(RECEIVED)
            threading.Timer(_UNTIL_WAITING_S, _produce, (cluster,)).start()
    raise AssertionError("a loop over a consumer never ends")


def poll(cluster: Cluster) -> Entered:
    """On the application's thread: a poll that finds its record, which is read."""
    entered = Entered(_is_main)
    with _consumer(cluster, entered) as consumer:
        consumer.assign([TopicPartition(TOPIC, 0)])
        _produce(cluster, 10)
        for _ in range(3):
            entered.begin()
            found = [record.offset for record in consumer.poll(GUARD_S, max_records=1)]
            entered.stop()
            assert len(found) == 1
    return entered


def heartbeat(cluster: Cluster) -> Entered:
    """On the I/O thread: from the timer of the member to the answer that it has taken in."""
    entered = Entered(_is_consumers)
    with _group_member(cluster, entered):
        for _ in range(2):
            entered.begin_at(HEARTBEAT_DUE, HEARTBEAT_TAKEN)
            assert entered.ended.wait(GUARD_S), "no heartbeat was answered"
    return entered


def commit(cluster: Cluster) -> Entered:
    """On both threads: ``commit()`` of one partition, until it returns."""
    entered = Entered(_is_consumers)
    with _group_member(cluster, entered) as consumer:
        for _ in range(2):
            _produce(cluster)
            assert consumer.poll(GUARD_S)
            entered.begin()
            consumer.commit()
            entered.stop()
    return entered


@contextmanager
def _group_member(cluster: Cluster, entered: Entered) -> Iterator[Consumer]:
    _produce(cluster)
    with _consumer(cluster, entered, {"group.id": "followed", "enable.auto.commit": False}) as consumer:
        consumer.subscribe([TOPIC])
        while not consumer.poll(GUARD_S):
            pass
        yield consumer


def spark_task(cluster: Cluster) -> Entered:
    """On all threads: a task of a Spark batch, which reads ten records with the consumer that its process kept."""
    import pyarrow as pa

    from kafka_nextgen.spark import kept_consumers
    from kafka_nextgen.spark.kafka_options import read_kafka_options
    from kafka_nextgen.spark.reading import ReadSettings, read_ranges
    from kafka_nextgen.spark.values import PartitionRange

    _produce(cluster, 30)
    schema = pa.schema([("offset", pa.int64()), ("value", pa.binary())])
    settings = ReadSettings(
        read_kafka_options({"bootstrap.servers": cluster.bootstrap_servers}),
        schema,
        100,
        GUARD_S,
        fail_on_data_loss=True,
    )
    entered = Entered(_is_consumers)
    with following(entered):
        for begin in (0, 10):
            entered.begin()
            assert sum(batch.num_rows for batch in read_ranges([PartitionRange(TOPIC, 0, begin, begin + 10)], settings))
            entered.stop()
        for consumer in kept_consumers._KEPT.values():  # noqa: SLF001  (else they stay until the process ends)
            consumer.close()
        kept_consumers._KEPT.clear()  # noqa: SLF001
    return entered


WAYS: Mapping[str, Callable[[Cluster], Entered]] = {
    "fetched answer": fetched_answer,
    "poll": poll,
    "heartbeat": heartbeat,
    "commit": commit,
    "Spark task": spark_task,
}


def functions_of(name: str) -> list[str]:
    """The functions that one of ``WAYS`` enters."""
    with Cluster(
        config={"group.consumer.heartbeat.interval.ms": 1000, "group.consumer.min.heartbeat.interval.ms": 1000}
    ) as cluster:
        cluster.create_topic(TOPIC)
        return WAYS[name](cluster).functions()


if __name__ == "__main__":
    print(json.dumps({name: functions_of(name) for name in sys.argv[1:] or WAYS}))
