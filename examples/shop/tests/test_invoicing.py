"""Each order becomes one invoice, exactly once."""

from __future__ import annotations

import pytest
from confluent_kafka import KafkaException
from shop.invoicing import Invoicing, invoice_of

from kafka_nextgen import Consumer
from kafka_nextgen.testing import Api

ANN = {"id": "1", "customer": "ann", "cents": 1000}
BOB = {"id": "2", "customer": "bob", "cents": 2000}
CY = {"id": "3", "customer": "cy", "cents": 3000}


class CrashError(Exception):
    """The process dies here."""


def work(worker, orders=1):
    """Have a worker poll until it is done with so many orders, at most 60 times."""
    for _ in range(60):
        orders -= worker.step()
        if orders <= 0:
            return
    raise AssertionError(f"{orders} orders are left")


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
    assert [invoice["order"] for invoice in kafka_records(shop.invoices).json] == ["1"]


def test_a_worker_that_dies_in_a_transaction_leaves_nothing(
    kafka_cluster, kafka_group, kafka_records, shop, orders_consumer, invoicing
):
    def die_at_the_second(order):
        if order.offset == 1:
            raise CrashError
        return invoice_of(order)

    kafka_cluster.produce(shop.orders, [ANN, BOB, CY], partition=0)
    consumer = orders_consumer()
    first = invoicing(consumer, "a", invoice_of=die_at_the_second)
    with pytest.raises(CrashError):
        work(first, 3)
    consumer.close()
    assert kafka_cluster.records(shop.invoices) == []
    assert kafka_cluster.committed(kafka_group) == {}

    second = invoicing(orders_consumer(), "a")  # the process is started again
    work(second, 3)
    assert [invoice["order"] for invoice in kafka_records(shop.invoices, 3).json] == ["1", "2", "3"]
    kafka_cluster.wait_until(lambda: kafka_cluster.committed(kafka_group) == {(shop.orders, 0): 3})


def test_a_worker_that_is_too_slow_changes_nothing(kafka_cluster, kafka_records, shop, orders_consumer, invoicing):
    def too_slow(order):
        if order.offset == 0 and not fast:
            kafka_cluster.advance(seconds=4)
            fast.append(invoicing(orders_consumer(), "fast"))
            work(fast[0])
        return invoice_of(order)

    fast = []
    kafka_cluster.produce(shop.orders, [ANN], partition=0)
    slow = invoicing(orders_consumer(max_poll_interval_ms=3_000), "slow", invoice_of=too_slow)
    while not fast:
        assert slow.step() == 0
    assert [invoice["order"] for invoice in kafka_records(shop.invoices).json] == ["1"]


def test_a_worker_whose_name_is_taken_over_ends_without_a_trace(
    kafka_cluster, kafka_group, shop, orders_consumer, invoicing
):
    def start_another(order):
        invoicing(orders_consumer(), "a")
        return invoice_of(order)

    kafka_cluster.produce(shop.orders, [ANN], partition=0)
    first = invoicing(orders_consumer(), "a", invoice_of=start_another)
    with pytest.raises(KafkaException, match="_FENCED"):
        work(first)
    assert kafka_cluster.records(shop.invoices) == []
    assert kafka_cluster.committed(kafka_group) == {}


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
    invoices = kafka_records(shop.invoices, 100)
    assert sorted(invoice["order"] for invoice in invoices.json) == list(range(100))


def test_orders_of_a_refused_transaction_are_read_again(kafka_cluster_factory):
    cluster = kafka_cluster_factory()  # embedded everywhere: a real Kafka refuses nothing on demand
    cluster.produce("orders", [ANN, BOB])
    config = {"group_id": "invoicing", "auto_offset_reset": "earliest", "enable_auto_commit": False}
    with Consumer(bootstrap_servers=cluster.bootstrap_servers, isolation_level="read_committed", **config) as consumer:
        consumer.subscribe(["orders"])
        worker = Invoicing(consumer, cluster.bootstrap_servers, "a", invoices="invoices", rejected="rejected")
        with cluster.fault(Api.TXN_OFFSET_COMMIT, error="UNKNOWN_MEMBER_ID", times=1):
            work(worker, 2)
    assert [invoice["order"] for invoice in cluster.records("invoices").json] == ["1", "2"]
    assert cluster.committed("invoicing") == {("orders", 0): 2}
