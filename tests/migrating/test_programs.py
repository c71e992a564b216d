"""A program of another client is read, and each line that has to change is named."""

from __future__ import annotations

from textwrap import dedent

import pytest

from kafka_nextgen.migrating.programs import findings_in_program


def told(program: str) -> list[str]:
    """What is found, with its line."""
    return [f"{found.line} {found.found}" for found in findings_in_program(dedent(program))]


def of_line(program: str, line: int) -> list[str]:
    """What to change in one line."""
    return [str(found) for found in findings_in_program(dedent(program)) if found.line == line]


def test_a_loop_of_confluent_kafka() -> None:
    program = """\
        from confluent_kafka import Consumer, KafkaException
        consumer = Consumer({
            "bootstrap.servers": "kafka:9092",
            "group.id": "billing",
            "auto.offset.reset": "smallest",
            "session.timeout.ms": 6000,
            "isolation.level": "read_committed",
            "group.protocol": "consumer",
            "allow.auto.create.topics": False,
        })
        consumer.subscribe(["orders"])
        while True:
            msg = consumer.poll(1.0)
            if msg is None:
                continue
            if msg.error():
                raise KafkaException(msg.error())
            print(msg.key(), msg.headers())
            consumer.commit(message=msg)
    """
    assert told(program) == [
        "1 Consumer",
        "1 KafkaException",
        "5 auto.offset.reset=smallest",
        "6 session.timeout.ms",
        "13 consumer.poll()",
        "14 msg is None",
        "16 msg.error()",
        "17 KafkaException",
        "17 msg.error()",
        "18 msg.headers()",
        "18 msg.key()",
        "19 commit(message=)",
        "19 consumer.commit()",
    ]
    assert of_line(program, 5) == ["auto.offset.reset=smallest -> auto.offset.reset=earliest"]
    assert of_line(program, 16) == [
        "msg.error(): remove it: poll() raises errors, and the end of a partition is not a record"
    ]


def test_a_worker_of_kafka_python_whose_consumer_is_an_attribute() -> None:
    program = """\
        from kafka import KafkaConsumer, TopicPartition
        class Worker:
            def __init__(self):
                self.consumer = KafkaConsumer("orders", bootstrap_servers="kafka:9092", group_protocol="consumer")
            def run(self):
                for tp, records in self.consumer.poll(timeout_ms=100).items():
                    for record in records:
                        print(record.value, record.checksum)
                self.consumer.seek(TopicPartition("orders", 0), 5)
    """
    assert told(program) == [
        "1 KafkaConsumer",
        "1 TopicPartition",
        "4 topics in the constructor",
        "6 poll(timeout_ms=)",
        "6 self.consumer.poll()",
        "6 self.consumer.poll(...).items()",
        "8 record.checksum",
    ]


def test_a_program_of_aiokafka_with_a_listener() -> None:
    program = """\
        from aiokafka import AIOKafkaConsumer, ConsumerRebalanceListener
        class Listener(ConsumerRebalanceListener):
            async def on_partitions_revoked(self, revoked):
                pass
        async def main():
            consumer = AIOKafkaConsumer(bootstrap_servers="kafka:9092", max_poll_records=5, group_protocol="auto")
            await consumer.start()
            record = await consumer.getone()
            print(record.serialized_key_size)
            await consumer.stop()
    """
    assert told(program)[2:] == [
        "2 ConsumerRebalanceListener",
        "3 on_partitions_revoked()",
        "7 consumer.start()",
        "9 record.serialized_key_size",
        "10 consumer.stop()",
    ]


@pytest.mark.parametrize(
    "made",
    [
        'conf = {"group.id": "g", "enable.partition.eof": True}\nConsumer(conf)',
        'conf = {"group.id": "g"}\nconf["enable.partition.eof"] = True\nConsumer(conf)',
        'conf = {"group.id": "g"}\nconf.update({"enable.partition.eof": True})\nConsumer(conf)',
        'conf = dict({"group.id": "g"}, **{"enable.partition.eof": True})\nConsumer(conf)',
        'conf = {"group.id": "g"}\nConsumer(conf | {"enable.partition.eof": True})',
        'conf = {"enable.partition.eof": True}\nConsumer({"group.id": "g", **conf})',
        'Consumer({"group.id": "g"}, enable_partition_eof=True)',
        'conf = {"group.id": "g", "enable.partition.eof": True}\nconf = dict(conf)\nConsumer(conf)',
        'def conf():\n    return {"group.id": "g", "enable.partition.eof": True}\nConsumer(conf())',
    ],
)
def test_keys_are_found_wherever_a_dictionary_gets_them(made: str) -> None:
    found = findings_in_program(f"from confluent_kafka import Consumer\n{made}\n")
    assert [one for one in found if "partition" in one.found and "not supported" in one.note]


def test_offsets_in_partitions_are_found() -> None:
    program = """\
        from confluent_kafka import Consumer, TopicPartition
        def on_assign(consumer, partitions):
            for partition in partitions:
                partition.offset = 5
            consumer.assign(partitions)
        consumer = Consumer(config)
        tp = TopicPartition("orders", 0)
        consumer.seek(TopicPartition("orders", 0, 5))
        consumer.seek(TopicPartition("orders", partition=0, offset=5))
        print([each.offset for each in consumer.committed([tp])], tp.offset, tp.topic)
    """
    found = [one for one in told(program) if "offset" in one or "5)" in one]
    assert found == [
        "4 partition.offset",
        "8 TopicPartition('orders', 0, 5)",
        "9 TopicPartition('orders', partition=0, offset=5)",
        "10 each.offset",
        "10 tp.offset",
    ]


def test_records_by_partition_and_fields_that_are_set_are_found() -> None:
    program = """\
        from kafka import KafkaConsumer
        consumer: KafkaConsumer
        batch = consumer.poll(500)
        for partition in batch:
            for record in batch[partition]:
                record.value = record.checksum
    """
    assert told(program) == [
        "1 KafkaConsumer",
        "3 consumer.poll()",
        "3 poll(timeout_ms=)",
        "5 batch[partition]",
        "6 record.checksum",
        "6 record.value = ...",
    ]


def test_a_name_means_something_else_in_another_function() -> None:
    program = """\
        from confluent_kafka import Consumer, Producer
        def produce():
            conf = {"acks": "all"}
            Producer(conf)
        def delivered(err, msg):
            print(msg.topic())
        def consume(conf):
            Consumer(conf)
        def main():
            global consumer
            conf = {"group.id": "g", "debug": "all"}
            consumer = Consumer(conf)
        class Service:
            client: Consumer
            def serve(self):
                self.client.memberid()
                msg = consumer.poll()
                msg.key()
    """
    found = [one for one in told(program) if "is not set" not in one]
    assert found == [
        "1 Consumer",
        "8 a configuration from elsewhere",
        "11 debug",
        "16 self.client.memberid()",
        "17 consumer.poll()",
        "18 msg.key()",
    ]


def test_names_that_a_function_sets_outside_of_it_are_known_there() -> None:
    program = """\
        from confluent_kafka import Consumer
        def begin():
            inner = None
            def make():
                global outer
                nonlocal inner
                inner = outer = Consumer(conf)
            make()
            inner.memberid()
        def go_on():
            outer.memberid()
    """
    assert {"9 inner.memberid()", "11 outer.memberid()"} <= set(told(program))


def test_a_configuration_from_elsewhere_is_named_and_nothing_is_said_about_its_defaults() -> None:
    found = told("import confluent_kafka\nimport settings\nconfluent_kafka.Consumer(settings.KAFKA)\n")
    assert "3 a configuration from elsewhere" in found
    assert not any("is not set" in one for one in found)


def test_defaults_with_another_effect_are_named_unless_they_are_set() -> None:
    program = 'from confluent_kafka import Consumer\nConsumer({"group.id": "g", "group.protocol": "classic"})\n'
    assert [one.partition(":")[0] for one in of_line(program, 2)] == [
        "allow.auto.create.topics is not set",
        "isolation.level is not set",
    ]


def test_with_the_classic_protocol_its_keys_stay() -> None:
    keys = "group_protocol='classic', session_timeout_ms=6000, bootstrap_servers='kafka:9092'"
    assert of_line(f"from kafka import KafkaConsumer\nKafkaConsumer({keys})\n", 2) == []


def test_none_stands_for_the_default_of_a_key_of_this_library() -> None:
    keys = "bootstrap_servers='a:1', group_id=None, session_timeout_ms=None, sasl_plain_username=None"
    assert of_line(f"from kafka import KafkaConsumer\nKafkaConsumer({keys})\n", 2)[1:] == [
        "sasl_plain_username: remove it: None is the default"
    ]


def test_a_key_with_another_meaning_there_has_to_go() -> None:
    keys = "bootstrap_servers='a:1', consumer_timeout_ms=200"
    assert of_line(f"from aiokafka import AIOKafkaConsumer\nAIOKafkaConsumer({keys})\n", 2) == [
        "consumer_timeout_ms: remove it: here it ends loops, but in aiokafka it does not affect the returned records"
    ]
    assert of_line(f"from kafka import KafkaConsumer\nKafkaConsumer({keys})\n", 2) == []


def test_a_consumer_that_comes_from_elsewhere_is_known_by_its_name_or_its_annotation() -> None:
    program = """\
        from confluent_kafka import Consumer
        def one(consumer):
            consumer.memberid()
        def two(c: Consumer):
            c.memberid()
        def three(c: "Consumer | None"):
            c.memberid()
        def four(client):
            client.memberid()
    """
    assert told(program) == ["1 Consumer", "3 consumer.memberid()", "5 c.memberid()", "7 c.memberid()"]


def test_a_call_that_no_table_has_is_named_unless_only_a_name_says_that_it_is_a_consumer() -> None:
    found = of_line("from kafka import KafkaConsumer\nconsumer: KafkaConsumer\nconsumer.fetch_messages()\n", 3)
    assert found == [
        "consumer.fetch_messages: not a call of kafka-python 3.0.12, the release that these tables describe"
    ]
    assert of_line("from kafka import KafkaConsumer\ntheir_consumer.fetch_messages()\n", 2) == []


def test_names_without_a_row_are_errors_or_have_no_advice() -> None:
    program = "from kafka.errors import NotControllerError\nfrom kafka.cluster import ClusterMetadata\n"
    assert told(program) == ["1 NotControllerError", "2 ClusterMetadata"]
    assert of_line(program, 1)[0].startswith("NotControllerError -> KafkaNextgenError")
    assert of_line(program, 2) == [
        "ClusterMetadata: kafka-python's; there is no replacement: remove it, or keep that client for it"
    ]


@pytest.mark.parametrize(
    ("settings", "unset"),
    [
        ("group_id='g'", ["group_protocol is not set"]),
        ("group_id='g', group_protocol='auto'", []),
        ("", []),
        ("security_protocol='SSL'", []),
        ("security_protocol='SASL_SSL'", ["sasl_mechanism is not set"]),
        ("security_protocol=protocol", ["sasl_mechanism is not set"]),
        ("security_protocol='SASL_SSL', sasl_mechanism='PLAIN'", []),
    ],
)
def test_a_default_is_named_if_it_makes_a_difference(settings: str, unset: list[str]) -> None:
    program = f"from aiokafka import AIOKafkaConsumer\nAIOKafkaConsumer(bootstrap_servers='a:1', {settings})\n"
    assert [found.found for found in findings_in_program(program) if found.line == 2] == unset


@pytest.mark.parametrize("key", ["sasl.mechanism", "sasl.mechanisms", "sasl_mechanisms"])
def test_a_default_is_set_by_each_name_of_its_key(key: str) -> None:
    keys = f"{{'group.id': 'g', 'security.protocol': 'SASL_SSL', '{key}': 'PLAIN'}}"
    found = of_line(f"from confluent_kafka import Consumer\nConsumer({keys})\n", 2)
    assert not [one for one in found if one.startswith("sasl.mechanism is not set")]


def test_a_stored_message_is_known_by_its_place() -> None:
    program = "from confluent_kafka import Consumer\nconsumer: Consumer\nconsumer.store_offsets(msg)\n"
    assert "store_offsets(message=) -> store_offsets(record)" in of_line(program, 3)


def test_a_program_may_begin_with_a_byte_order_mark() -> None:
    assert told("\ufefffrom kafka import KafkaConsumer\n") == ["1 KafkaConsumer"]


@pytest.mark.parametrize(
    "program",
    [
        "from confluent_kafka import Producer\np = Producer({'bootstrap.servers': 'a:1'})\np.produce('t')\np.poll(0)\n",
        "from kafka import KafkaProducer, KafkaAdminClient\nfrom kafka.admin import NewTopic\nKafkaProducer(acks=1)\n",
        "from confluent_kafka.schema_registry.avro import AvroDeserializer\nAvroDeserializer(client)\n",
        "from confluent_kafka import KafkaException, Producer\ntry: produce()\nexcept KafkaException: pass\n",
        "from confluent_kafka import ShareConsumer\nmsg = ShareConsumer(conf).poll()\nmsg.value()\n",
        "from kafka_nextgen import Consumer\nconsumer = Consumer(group_id='g')\nconsumer.poll(timeout=1.0)\n",
        "import json\nconsumer.getone()\n",
    ],
)
def test_producers_and_ported_programs_stay_as_they_are(program: str) -> None:
    assert told(program) == []


def test_a_program_is_never_run() -> None:
    assert told("from kafka import KafkaConsumer\nraise SystemExit(1)\n")
    with pytest.raises(SyntaxError):
        findings_in_program("print 'Python 2'")
