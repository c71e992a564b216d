"""Orders are written."""

from __future__ import annotations

import json

import pytest
from shop.ordering import OrderDesk
from shop.writer import NotWrittenError


def test_an_order_is_written_when_its_placing_returns(kafka_cluster, kafka_bootstrap_servers, shop):
    OrderDesk(kafka_bootstrap_servers, shop.orders).place("1", "ann", 1000)
    (order,) = kafka_cluster.records(shop.orders).json
    assert order == {"id": "1", "customer": "ann", "cents": 1000, "note": ""}


def test_the_orders_of_a_customer_stay_in_their_order(kafka_bootstrap_servers, kafka_records, shop):
    desk = OrderDesk(kafka_bootstrap_servers, shop.orders)
    for number in range(6):
        desk.place(str(number), "ann" if number % 2 else "bob", 1000)
    orders = kafka_records(shop.orders, 6)
    assert [json.loads(value)["id"] for value in orders.by_key[b"ann"]] == ["1", "3", "5"]
    assert len({order.partition for order in orders if order.key == b"ann"}) == 1


def test_an_order_for_nothing_is_refused(kafka_cluster, kafka_bootstrap_servers, shop):
    with pytest.raises(ValueError, match="order 1 costs 0 cents"):
        OrderDesk(kafka_bootstrap_servers, shop.orders).place("1", "ann", 0)
    assert kafka_cluster.records(shop.orders) == []


def test_an_order_that_is_too_large_is_not_lost_silently(kafka_cluster, kafka_bootstrap_servers, shop):
    with pytest.raises(NotWrittenError, match="MSG_SIZE_TOO_LARGE"):
        OrderDesk(kafka_bootstrap_servers, shop.orders).place("1", "ann", 1000, note="x" * 2_000_000)
    assert kafka_cluster.records(shop.orders) == []
