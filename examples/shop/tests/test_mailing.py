"""Invoices are mailed, and what can't be mailed becomes a dead letter."""

from __future__ import annotations

import pytest
from shop.mailing import Mailing

ANN = ("ann", {"order": "1", "customer": "ann", "cents": 1190})
BOB = ("bob", {"order": "2", "customer": "bob", "cents": 2380})


class Mails:
    """Stands in for the mail server: ``failing`` has how often it still refuses the mails of a customer."""

    def __init__(self):
        self.sent, self.failing = [], {}

    def send(self, customer, text):
        if self.failing.get(customer, 0):
            self.failing[customer] -= 1
            raise ConnectionError("the mail server is busy")
        self.sent.append((customer, text))


@pytest.fixture
def mails():
    return Mails()


@pytest.fixture
def consumer(kafka_consumer, shop):
    return kafka_consumer(shop.invoices, enable_auto_commit=False, retry_backoff_ms=10)


@pytest.fixture
def mailing(consumer, mails, kafka_bootstrap_servers, shop):
    return Mailing(consumer, mails.send, kafka_bootstrap_servers, shop.dead)


def test_each_invoice_is_mailed_and_committed(kafka_cluster, kafka_group, shop, mails, mailing, started):
    kafka_cluster.produce(shop.invoices, [ANN, BOB])
    stop = started(mailing)
    kafka_cluster.wait_until(lambda: len(mails.sent) == 2)
    stop()
    assert sorted(mails.sent) == [("ann", "order 1: 11.90"), ("bob", "order 2: 23.80")]
    assert kafka_cluster.committed(kafka_group) == {(shop.invoices, 0): 2}


def test_a_mail_server_that_is_busy_is_tried_again(kafka_cluster, shop, mails, mailing, started):
    mails.failing["ann"] = 2
    kafka_cluster.produce(shop.invoices, [ANN])
    started(mailing)
    kafka_cluster.wait_until(lambda: mails.sent == [("ann", "order 1: 11.90")])
    assert kafka_cluster.records(shop.dead) == []


def test_what_can_t_be_mailed_becomes_a_dead_letter(
    kafka_cluster, kafka_group, kafka_records, shop, mails, mailing, started
):
    mails.failing["ann"] = 3
    kafka_cluster.produce(shop.invoices, [ANN, BOB, ("cy", "poison")])
    stop = started(mailing)
    letters = {letter.key: letter for letter in kafka_records(shop.dead, 2)}
    kafka_cluster.wait_until(lambda: mails.sent == [("bob", "order 2: 23.80")])
    stop()
    assert letters.keys() == {b"ann", b"cy"}
    assert letters[b"cy"].value == b"poison"
    assert dict(letters[b"ann"].headers) == {
        "origin": f"{shop.invoices}[0] 0".encode(),
        "error": b"ConnectionError('the mail server is busy')",
    }
    assert kafka_cluster.lag(kafka_group, shop.invoices) == 0


def test_the_next_worker_begins_where_the_last_one_stopped(
    kafka_cluster, kafka_consumer, kafka_bootstrap_servers, shop, mails, consumer, mailing, started
):
    kafka_cluster.produce(shop.invoices, [ANN])
    stop = started(mailing)
    kafka_cluster.wait_until(lambda: len(mails.sent) == 1)
    stop()
    consumer.close()
    kafka_cluster.produce(shop.invoices, [BOB])
    another = kafka_consumer(shop.invoices, enable_auto_commit=False)
    started(Mailing(another, mails.send, kafka_bootstrap_servers, shop.dead))
    kafka_cluster.wait_until(lambda: len(mails.sent) == 2)
    assert [customer for customer, _ in mails.sent] == ["ann", "bob"]
