"""Where a client says it is: in every fetch, and when it joins (KIP-392, KIP-848)."""

from __future__ import annotations

from kafka_nextgen.wire.apis import CONSUMER_GROUP_HEARTBEAT, FETCH, Api
from tests.engine.stage import Stage, read


def racks_told(stage: Stage, api: Api) -> list[str | None]:
    """Every rack that requests of this API tell from now on."""
    told: list[str | None] = []
    original = stage.original(api)

    async def handle(request: object, context: object) -> object:
        told.append(request.rack_id)  # type: ignore[attr-defined]
        return await original(request, context)

    stage.handle(api, handle)
    return told


def test_a_rack_is_told_on_joining_and_in_every_fetch(stage: Stage) -> None:
    stage.create(records=10)
    joins, fetches = racks_told(stage, CONSUMER_GROUP_HEARTBEAT), racks_told(stage, FETCH)
    with stage.subscribed(client_rack="r1") as consumer:
        read(consumer, 10)
        assert set(fetches) == {"r1"}
    assert joins[0] == "r1"
    assert set(joins[1:]) == {None}, "unchanged"


def test_without_a_rack_none_is_told(stage: Stage) -> None:
    stage.create(records=10)
    joins, fetches = racks_told(stage, CONSUMER_GROUP_HEARTBEAT), racks_told(stage, FETCH)
    with stage.subscribed() as consumer:
        read(consumer, 10)
    assert set(joins) == {None}
    assert set(fetches) == {""}
