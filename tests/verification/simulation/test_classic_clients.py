"""Clients of the classic protocol: seeds of theirs find nothing."""

from __future__ import annotations

from collections import Counter

import pytest
from attrs import evolve

from kafka_nextgen.groups import records as r
from kafka_nextgen.testing.coordinator.coordinator import Outcome
from tests.verification.simulation.casting import Casting, Mixture
from tests.verification.simulation.coverage import NAMES, transition_in
from tests.verification.simulation.dice import Dice
from tests.verification.simulation.running import Simulation


def seeds_with(mixture: Mixture, count: int) -> list[int]:
    """The first seeds whose group has these protocols."""
    found = (seed for seed in range(1, 1_000) if Casting(Dice(seed).stream("casting")).mixture is mixture)
    return [next(found) for _ in range(count)]


def test_nothing_is_found() -> None:
    for seed in seeds_with(Mixture.CLASSIC, 6):
        assert not Simulation(seed, most_events=800).run().broken, seed


def test_groups_of_both_protocols_go_from_one_to_the_other() -> None:
    met: Counter[str] = Counter()
    ways = [name for name in NAMES if "with members becomes" in name]
    for seed in seeds_with(Mixture.BOTH, 40):
        verdict = Simulation(seed, most_events=1_500).run()
        assert not verdict.broken, seed
        met += verdict.met
        if all(met[way] for way in ways):
            break
    assert [way for way in ways if not met[way]] == []


def test_a_client_keeps_to_its_protocol_once_all_has_healed() -> None:
    dice = Dice(seeds_with(Mixture.BOTH, 1)[0])
    casting = Casting(dice.stream("casting"))
    assert {casting.speaks_classic("c0") for _ in range(50)} == {True, False}
    dice.heal()
    assert len({casting.speaks_classic("c0") for _ in range(50)}) == 1


MEMBER = r.MemberMetadata("g", "A", None, None, "A", "host", ("foo",), None, 15_000, None)
CLASSIC = evolve(MEMBER, classic=r.ClassicProtocols(12_000, ()))
CLASSIC_GROUP = r.ClassicGroupMetadata("g", "consumer", 3, None, None, 0, ())


@pytest.mark.parametrize(
    ("records", "transition"),
    [
        (
            (r.ClassicGroupMetadataRemoved("g"), CLASSIC, r.GroupMetadata("g", 3, 0)),
            "a classic group with members becomes",
        ),
        ((r.ClassicGroupMetadataRemoved("g"), MEMBER, r.GroupMetadata("g", 3, 0)), "an empty classic group"),
        (
            (r.MemberMetadataRemoved("g", "A"), r.GroupMetadataRemoved("g"), CLASSIC_GROUP),
            "a consumer group with members becomes",
        ),
        ((r.GroupMetadataRemoved("g"), CLASSIC_GROUP), "an empty consumer group"),
        ((CLASSIC_GROUP,), None),
    ],
)
def test_transitions(records: tuple[r.Record, ...], transition: str | None) -> None:
    found = transition_in(Outcome(None, records))
    assert (found is None) if transition is None else transition in (found or "")
