"""All parts together: what a customer orders is mailed to her."""

from __future__ import annotations

from shop.mailing import Mailing
from shop.ordering import OrderDesk


def test_an_order_arrives_as_an_invoice(
    kafka_cluster, kafka_consumer, kafka_group, kafka_bootstrap_servers, shop, orders_consumer, invoicing, started
):
    mails = []
    settings = {"group_id": f"{kafka_group}-mailing", "enable_auto_commit": False, "isolation_level": "read_committed"}
    invoices = kafka_consumer(shop.invoices, **settings)
    started(invoicing(orders_consumer(), "a"))
    started(Mailing(invoices, lambda *mail: mails.append(mail), kafka_bootstrap_servers, shop.dead))
    OrderDesk(kafka_bootstrap_servers, shop.orders).place("1", "ann", 1000)
    kafka_cluster.wait_until(lambda: mails == [("ann", "order 1: 11.90")])
    assert kafka_cluster.records(shop.rejected) == kafka_cluster.records(shop.dead) == []
