"""Commits by hand, as a consumer without members makes them."""

from __future__ import annotations

from typing import Any

from kafka_nextgen.wire import apis
from tests.support.plain_messages import message_of
from tests.testing.broker.client import Client


class Committer:
    """Commits and fetches offsets of partitions of orders, by hand."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def commit(self, offset: int, *partitions: int) -> list[int]:
        """Commit; return the error code of each partition, in the order of the answer."""
        self.send(offset, *partitions)
        return self.receive()

    def send(self, offset: int, *partitions: int) -> None:
        self.client.send(self.request(offset, *partitions), 8)

    def receive(self) -> list[int]:
        answer = self.client.receive(apis.OFFSET_COMMIT, 8)
        return [each.error_code for topic in answer.topics for each in topic.partitions]

    def request(self, offset: int, *partitions: int) -> Any:
        each = [{"partition_index": number, "committed_offset": offset} for number in partitions or (0,)]
        topics = [{"name": "orders", "partitions": each}]
        return message_of(apis.OFFSET_COMMIT.request, group_id="billing", topics=topics)

    def committed(self, partition: int = 0) -> int:
        topics = [{"name": "orders", "partition_indexes": [partition]}]
        answer = self.client.ask(apis.OFFSET_FETCH, version=5, group_id="billing", topics=topics)
        return int(answer.topics[0].partitions[0].committed_offset)
