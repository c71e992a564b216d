"""The recorded rebalances of a group, as a coordinator describes them."""

from __future__ import annotations

from kafka_nextgen.groups.extension_requests import ExtensionResponse
from kafka_nextgen.groups.extensions.records import Rebalance
from kafka_nextgen.lazy_attrs import frozen

__all__ = ["HistoryDescribed"]


@frozen
class HistoryDescribed(ExtensionResponse):
    """The recorded rebalances, oldest first."""

    rebalances: tuple[Rebalance, ...] = ()
