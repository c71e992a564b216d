"""Customers place orders."""

from __future__ import annotations

import json

from shop.writer import Writer


class OrderDesk:
    """Writes each order to a topic, by its customer: a customer's orders are handled one after the other."""

    def __init__(self, bootstrap_servers: str, orders: str) -> None:
        self._writer = Writer(bootstrap_servers)
        self._orders = orders

    def place(self, order_id: str, customer: str, cents: int, note: str = "") -> None:
        """Write an order, and return when it is safe. Raises ValueError, and NotWrittenError."""
        if cents <= 0:
            raise ValueError(f"order {order_id} costs {cents} cents: it must be more than 0")
        order = {"id": order_id, "customer": customer, "cents": cents, "note": note}
        self._writer.write(self._orders, json.dumps(order).encode(), customer.encode())
