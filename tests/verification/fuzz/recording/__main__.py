"""Record the corpus of the fuzzers again: clients of all kinds on a real Kafka, seen from between the two."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

import click
from rich.console import Console

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.apis import APIS, Api
from tests.support.capturing_proxy import CapturingProxy
from tests.support.clients import create_topic
from tests.support.java_tools import CONSOLE_CONSUMER, CONSUMER_GROUPS, find_java_tools
from tests.support.real_kafka import NEWEST_VERSION
from tests.testing.broker.client import Client
from tests.verification.fuzz.corpus import write
from tests.verification.fuzz.recording import administration, records
from tests.verification.fuzz.recording.kafka import PASSWORD, USER, Listened, listened_kafka
from tests.verification.fuzz.recording.listener import Listener
from tests.wire.schema_messages import full

_OFFSETS_RECORDS = 60
_WRITTEN = 17  # records of each codec that are there to be read
_COMMITTED = 16  # those that no transaction took back

_PATIENCE_S = 2

#: Those that wait for others, end groups and topics of real clients, or answer nothing.
_LEFT_OUT = {apis.JOIN_GROUP, apis.SYNC_GROUP, apis.WRITE_TXN_MARKERS}

Step = tuple[str, Callable[[], object]]


def _steps(kafka: Listened, version: str) -> Iterator[Step]:
    servers = kafka.servers
    topics = {codec: create_topic(servers, codec) for codec in records.CODECS}
    for codec, topic in topics.items():
        yield f"write {codec}", partial(records.write_records, servers, topic, codec)
        yield f"transactions {codec}", partial(records.write_transactions, servers, topic, codec)
    for codec, topic in topics.items():
        for protocol in ("consumer", "classic"):
            yield f"we read {codec} {protocol}", partial(records.we_read, servers, topic, protocol, _WRITTEN)
    for protocol in ("consumer", "classic"):
        read = partial(records.confluent_reads, servers, topics["none"], protocol, _COMMITTED)
        yield f"confluent reads {protocol}", read
    yield "aiokafka reads", lambda: asyncio.run(records.aio_reads(servers, topics["lz4"], _COMMITTED))
    yield from _administer(kafka, topics["zstd"])
    yield from _by_sasl(kafka, topics["gzip"])
    yield from _java(servers, topics["none"], version)
    yield "interrogation", partial(_interrogate, servers)


def _administer(kafka: Listened, topic: str) -> Iterator[Step]:
    group = f"{topic}-consumer"
    ask = partial(administration.confluent_administers, kafka.servers, topic, group, USER, PASSWORD)
    yield "confluent administers", ask
    yield "kafka-python administers", partial(administration.kafka_python_administers, kafka.servers, topic, group)
    yield "we administer", partial(administration.we_administer, kafka.servers, topic, group)


def _java(servers: str, topic: str, version: str) -> Iterator[Step]:
    java = find_java_tools(version)
    where = ("--bootstrap-server", servers)
    for protocol in ("consumer", "classic"):
        how = ("--topic", topic, "--from-beginning", "--max-messages", "5", "--group", f"java-{protocol}")
        config = ("--command-property", f"group.protocol={protocol}")
        yield f"Java reads {protocol}", partial(java.run, CONSOLE_CONSUMER, *where, *how, *config)
        describe = ("--describe", "--group", f"java-{protocol}")
        yield f"Java describes {protocol}", partial(java.run, CONSUMER_GROUPS, *where, *describe)


def _by_sasl(kafka: Listened, topic: str) -> Iterator[Step]:
    for mechanism in ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"):
        sasl = {
            "security.protocol": "SASL_PLAINTEXT",
            "sasl.mechanism": mechanism,
            "sasl.username": USER,
            "sasl.password": PASSWORD,
            "group.id": mechanism,
        }
        read = partial(records.confluent_reads, kafka.sasl_servers, topic, "consumer", 1, **sasl)
        yield f"confluent authenticates by {mechanism}", read


def _interrogate(servers: str) -> None:
    """Ask every API in every version, with nothing in the question and with something in every field of it.

    Most of that is refused, each time in the version's own words; a broker that hangs up or says nothing has said so.
    """
    for api in APIS.values():
        if api in _LEFT_OUT:
            continue
        for version in range(api.min_version, api.max_version + 1):
            for message in (api.request(), full(api.request, version)):
                _ask(servers, api, version, message)


def _ask(servers: str, api: Api, version: int, message: object) -> None:
    with suppress(OSError, DecodeError, TypeError, ValueError, AttributeError), Client(servers, _PATIENCE_S) as client:
        client.ask(api, message, version)


@click.command(help=__doc__)
@click.option("--kafka", "version", default=NEWEST_VERSION, show_default=True, help="The release of Kafka.")
def main(version: str) -> None:
    console, listener = Console(), Listener()
    proxy = CapturingProxy(listener.tell)
    with listened_kafka(version, proxy) as kafka:
        for what, step in _steps(kafka, version):
            console.print(what)
            listener.doing(what)
            step()
        kept = [*listener.kept(), *records.offsets_records(kafka.servers, _OFFSETS_RECORDS)]
        size = write(kept)
    console.print(f"{len(kept)} entries, {size:,} bytes")
    os._exit(0)  # the proxy's connections have no end of their own


if __name__ == "__main__":
    main()
