"""A broker whose host is called what no host can be: that one is not reached, and nothing ends."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from kafka_nextgen import ConfigError, Consumer
from kafka_nextgen.admin import GroupAdmin
from kafka_nextgen.wire.apis import FIND_COORDINATOR, METADATA, Api
from tests.engine.stage import Stage, poll_until, read

IMPOSSIBLE = ["a..b", "x" * 65, "\u00fc" * 64]


def renamed(api: Api, hosts: list[str]) -> Callable[[Any], Any]:
    """What calls every host in an answer like that as long as the list has it."""
    field = "brokers" if api is METADATA else "coordinators"

    def rename(answer: Any) -> Any:
        found = [each.replaced(host=hosts[0]) if hosts else each for each in getattr(answer, field)]
        return answer.replaced(**{field: found})

    return rename


@pytest.mark.parametrize("host", IMPOSSIBLE)
@pytest.mark.parametrize(("api", "protocol"), [(METADATA, "consumer"), (FIND_COORDINATOR, "classic")])
def test_polls_are_empty_and_go_on_once_the_cluster_is_right_again(
    stage: Stage, api: Api, protocol: str, host: str
) -> None:
    stage.create(records=10)
    hosts = [host]
    stage.change(api, renamed(api, hosts))
    with stage.subscribed(group_protocol=protocol, metadata_max_age_ms=100) as consumer:
        if api is FIND_COORDINATOR:
            poll_until(consumer, lambda: "is not a valid host name" in str(consumer.health().problem))
        else:
            poll_until(consumer, lambda: bool(consumer.assignment()))
            assert not consumer.poll(timeout=0.05), "the leader can't be reached"
        hosts.clear()
        assert len(read(consumer, 10)) == 10
        assert consumer.health().problem is None


@pytest.mark.parametrize("client", [Consumer, GroupAdmin])
def test_in_bootstrap_servers_it_is_refused_at_once(client: type[Consumer | GroupAdmin]) -> None:
    for host in (*IMPOSSIBLE, "a\0b", "\ud800"):
        with pytest.raises(ConfigError, match="is not a valid host name") as caught:
            client(bootstrap_servers=f"localhost:9092,{host}:9092")
        assert caught.value.key == "bootstrap_servers"


_EXITS = """
import threading
from kafka_nextgen import Consumer
from kafka_nextgen.transport import connecting

asked = threading.Event()

def never(*_, **__):
    asked.set()
    threading.Event().wait()

connecting.getaddrinfo = never
consumer = Consumer(bootstrap_servers="silent.example:9092", group_id="billing")
asked.wait()
consumer.close()
print("closed")
"""


def test_a_name_server_that_does_not_answer_keeps_no_process_from_its_end() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _EXITS], capture_output=True, text=True, env=dict(os.environ), check=True
    )
    assert ended.stdout == "closed\n"
