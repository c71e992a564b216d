"""Where a log's epochs end (KIP-101)."""

from __future__ import annotations

import pytest

from kafka_nextgen.broker.leader_epochs import LeaderEpochs


def epochs(*noted: tuple[int, int]) -> LeaderEpochs:
    made = LeaderEpochs()
    for epoch, offset in noted:
        made.note(epoch, offset)
    return made


@pytest.mark.parametrize(
    ("asked", "end"),
    [
        pytest.param(1, (1, 10), id="older than all: where they begin"),
        pytest.param(2, (2, 20), id="an epoch with records"),
        pytest.param(3, (2, 20), id="an epoch without records: the one before"),
        pytest.param(5, (5, 30), id="the last with records ends at the log's end"),
        pytest.param(6, (6, 30), id="the leader's own"),
        pytest.param(7, None, id="a later one than the leader's"),
        pytest.param(-1, None, id="none"),
    ],
)
def test_an_epoch_ends_where_the_next_begins(asked: int, end: tuple[int, int] | None) -> None:
    assert epochs((2, 10), (2, 15), (5, 20)).end_of(asked, leader_epoch=6, end_offset=30) == end


def test_epochs_go_with_their_records() -> None:
    noted = epochs((0, 0), (1, 10), (2, 20))
    noted.forget_before(15)
    assert noted.end_of(0, leader_epoch=2, end_offset=30) == (0, 15)
    assert noted.end_of(1, leader_epoch=2, end_offset=30) == (1, 20)
