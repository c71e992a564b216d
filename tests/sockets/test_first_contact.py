"""A connection that is cut before any broker was reached ends no program: the next attempt mostly succeeds.

Patience counts from the first attempt, so that who polls briefly has as much of it as who iterates.
"""

from __future__ import annotations

import asyncio

import pytest

from kafka_nextgen import AsyncConsumer, AuthenticationError, Consumer, NoBrokersError, TopicPartition
from kafka_nextgen.admin import AsyncGroupAdmin, GroupAdmin
from tests.engine.stage import TOPIC, Stage, poll_until, read
from tests.sockets.script import Script
from tests.support.kafka_properties import refusing_address
from tests.support.waiting import GUARD_S, eventually

CUT = "when api versions: drop the connection"


@pytest.mark.parametrize("protocol", ["consumer", "classic", "auto"])
@pytest.mark.parametrize("request_", ["api versions", "metadata"])
def test_brief_polls_are_empty_until_the_next_attempt(
    script: Script, stage: Stage, caplog: pytest.LogCaptureFixture, request_: str, protocol: str
) -> None:
    stage.create(records=10)
    script.play(f"when {request_}, 3 times: drop the connection")
    with stage.consumer(group_protocol=protocol) as consumer:
        consumer.subscribe([TOPIC])
        assert len(consumer.poll(timeout=0)) == 0
        assert len(read(consumer, 10)) == 10
        assert consumer.health().problem is None
    assert script.is_done
    said = [line.getMessage() for line in caplog.records if "connecting to the first broker" in line.getMessage()]
    assert "retrying" in said[0], "at the first failure"


def test_brief_polls_of_an_async_consumer_are(script: Script, stage: Stage) -> None:
    stage.create(records=10)
    script.play(CUT)

    async def main() -> int:
        count = 0
        async with AsyncConsumer(**stage.config()) as consumer:
            await consumer.subscribe([TOPIC])
            while count < 10:
                count += len(await consumer.poll(timeout=0.01))
        return count

    assert asyncio.run(main()) == 10


@pytest.mark.parametrize("timeout", [0.0, 0.05])
def test_once_patience_is_over_the_next_poll_says_what_stands_in_the_way(timeout: float) -> None:
    with refusing_address() as nobody, Consumer(bootstrap_servers=nobody, group_id="billing") as consumer:
        consumer.subscribe([TOPIC])
        poll_until(consumer, lambda: nobody in str(consumer.health().problem))
        assert not consumer.poll(timeout=timeout)
        consumer._core.engine._contact._patient_until = 0.0
        with pytest.raises(NoBrokersError, match=f"{nobody}: connection refused"):
            consumer.poll(timeout=timeout)


def test_a_refused_login_ends_it_at_once(stage: Stage) -> None:
    login = {
        "security_protocol": "SASL_PLAINTEXT",
        "sasl_mechanism": "PLAIN",
        "sasl_username": "u",
        "sasl_password": "p",
    }
    with stage.consumer(**login) as consumer:
        consumer.subscribe([TOPIC])
        with pytest.raises(AuthenticationError):
            consumer.poll(timeout=GUARD_S)


@pytest.mark.parametrize("protocol", ["consumer", "classic"])
def test_other_calls_survive_a_cut_connection_as_well(script: Script, stage: Stage, protocol: str) -> None:
    stage.create(records=10)
    partition = TopicPartition(TOPIC, 0)
    calls = [
        lambda consumer: consumer.partitions_for(TOPIC) == (0,),
        lambda consumer: consumer.topics() == (TOPIC,),
        lambda consumer: consumer.end_offsets([partition]) == {partition: 10},
        lambda consumer: consumer.committed([partition]) == {partition: None},
    ]
    for call in calls:
        script.play(f"{CUT}\nwhen metadata: drop the connection")
        with stage.consumer(group_protocol=protocol) as consumer:
            assert call(consumer)
            # A call may end before Metadata is asked for.
            eventually("both connections were cut", lambda: script.is_done)
        assert script.is_done


def test_so_does_an_admin(script: Script, stage: Stage) -> None:
    stage.create()

    async def ask() -> bool:
        async with AsyncGroupAdmin(bootstrap_servers=stage.cluster.bootstrap_servers) as admin:
            return not (await admin.list()).failed

    script.play(CUT)
    with GroupAdmin(bootstrap_servers=stage.cluster.bootstrap_servers) as admin:
        assert not admin.list().failed
    script.play(CUT)
    assert asyncio.run(ask())
    assert script.is_done
