"""Each order becomes one invoice, exactly once."""

from __future__ import annotations

from confluent_kafka import Producer
from shop.invoicing import Invoicing, invoice_of

from kafka_nextgen import Consumer
from kafka_nextgen.testing import Api

ANN = {"id": "1", "customer": "ann", "cents": 1000}
BOB = {"id": "2", "customer": "bob", "cents": 2000}


def ids(invoices):
    return [invoice["order"] for invoice in invoices.json]


def test_each_order_becomes_an_invoice(
    kafka_cluster, kafka_group, kafka_records, shop, orders_consumer, invoicing, started
):
    kafka_cluster.produce(shop.orders, [("ann", ANN), ("bob", BOB)])
    started(invoicing(orders_consumer(), "a"))
    invoices = kafka_records(shop.invoices, 2)
    assert sorted(invoices.json, key=lambda invoice: invoice["order"]) == [
        {"order": "1", "customer": "ann", "cents": 1190},
        {"order": "2", "customer": "bob", "cents": 2380},
    ]
    kafka_cluster.wait_until(lambda: kafka_cluster.lag(kafka_group, shop.orders) == 0)


def test_an_order_that_makes_no_sense_is_rejected_with_the_reason(
    kafka_cluster, kafka_records, shop, orders_consumer, invoicing, started
):
    kafka_cluster.produce(shop.orders, ["poison", {"id": "1"}, ANN, None], partition=0)
    started(invoicing(orders_consumer(), "a"))
    rejected = kafka_records(shop.rejected, 3)
    assert rejected.values == [b"poison", b'{"id":"1"}', None]
    reasons = [dict(record.headers)["error"] for record in rejected]
    assert [reason.partition(b"(")[0] for reason in reasons] == [b"JSONDecodeError", b"KeyError", b"JSONDecodeError"]
    assert ids(kafka_records(shop.invoices)) == ["1"]


def test_the_next_worker_begins_where_the_last_one_stopped(
    kafka_cluster, kafka_records, shop, orders_consumer, invoicing, started
):
    kafka_cluster.produce(shop.orders, ANN, partition=0)
    first = orders_consumer()
    stop = started(invoicing(first, "a"))
    assert ids(kafka_records(shop.invoices)) == ["1"]
    stop()
    first.close()
    kafka_cluster.produce(shop.orders, BOB, partition=0)
    started(invoicing(orders_consumer(), "a"))
    assert ids(kafka_records(shop.invoices, 2)) == ["1", "2"]


def test_what_a_worker_that_died_had_not_committed_does_not_count(
    kafka_cluster, kafka_bootstrap_servers, kafka_records, shop, orders_consumer, invoicing, started
):
    worker = invoicing(orders_consumer(), "a")
    died = Producer({"bootstrap.servers": kafka_bootstrap_servers, "transactional.id": worker.transactional_id})
    died.init_transactions()
    died.begin_transaction()
    died.produce(shop.invoices, b'{"order": "1"}')
    died.flush()
    assert len(kafka_cluster.records(shop.invoices, isolation_level="read_uncommitted")) == 1

    kafka_cluster.produce(shop.orders, BOB)
    started(worker)  # under the same name
    assert ids(kafka_records(shop.invoices)) == ["2"]


def test_a_worker_that_is_too_slow_changes_nothing(
    kafka_cluster, kafka_records, shop, orders_consumer, invoicing, started
):
    def too_slow(order):
        if not others:
            kafka_cluster.advance(seconds=4)
            others.append(started(invoicing(orders_consumer(), "b")))
            kafka_records(shop.invoices)
        return invoice_of(order)

    others = []
    kafka_cluster.produce(shop.orders, ANN)
    stop = started(invoicing(orders_consumer(max_poll_interval_ms=3_000), "a", invoice_of=too_slow))
    kafka_records(shop.invoices)
    stop()
    assert ids(kafka_cluster.records(shop.invoices)) == ["1"]


def test_two_workers_share_the_orders_and_invoice_each_once(
    kafka_cluster, kafka_records, shop, orders_consumer, invoicing, started
):
    consumers = orders_consumer(), orders_consumer()
    kafka_cluster.wait_until_stable(*consumers)
    assert [len(consumer.assignment()) for consumer in consumers] == [1, 1]
    for name, consumer in zip("ab", consumers, strict=True):
        started(invoicing(consumer, name))
    orders = [{"id": number, "customer": "ann", "cents": 100} for number in range(100)]
    kafka_cluster.produce(shop.orders, orders[:50], partition=0)
    kafka_cluster.produce(shop.orders, orders[50:], partition=1)
    assert sorted(ids(kafka_records(shop.invoices, 100))) == list(range(100))


def test_orders_of_a_refused_transaction_are_read_again(kafka_cluster_factory, started):
    cluster = kafka_cluster_factory()  # embedded everywhere: a real Kafka refuses nothing on demand
    cluster.produce("orders", [ANN, BOB])
    config = {"group_id": "invoicing", "auto_offset_reset": "earliest", "enable_auto_commit": False}
    with Consumer(bootstrap_servers=cluster.bootstrap_servers, isolation_level="read_committed", **config) as consumer:
        consumer.subscribe(["orders"])
        worker = Invoicing(consumer, cluster.bootstrap_servers, "a", invoices="invoices", rejected="rejected")
        with cluster.fault(Api.TXN_OFFSET_COMMIT, error="UNKNOWN_MEMBER_ID", times=1):
            stop = started(worker)
            cluster.wait_until(lambda: cluster.committed("invoicing") == {("orders", 0): 2})
            stop()
    assert ids(cluster.records("invoices")) == ["1", "2"]
