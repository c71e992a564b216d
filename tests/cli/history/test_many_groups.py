"""Logs of many groups: what is done for each of them does not go over the facts of all of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kafka_nextgen.cli.history.log import facts_since
from kafka_nextgen.cli.history.tables import print_analysis
from kafka_nextgen.history.analysis import Analysis
from kafka_nextgen.history.facts import FACTS, Fact
from tests.history.made_log import made_answers


class _Counted(list[Fact]):
    passes = 0

    def __iter__(self) -> Iterator[Fact]:
        self.passes += 1
        return super().__iter__()


def _passes(groups: int) -> list[int]:
    made = made_answers(rebalances=2, partitions=2, members=2, groups=groups)
    counted = {name: _Counted(made.facts[name]) for name in FACTS}
    print_analysis(Analysis(counted), 10)
    facts_since(Analysis(counted), 0)
    return [facts.passes for facts in counted.values()]


def test_facts_are_gone_over_as_often_for_many_groups_as_for_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert _passes(groups=5) == _passes(groups=1)
    assert capsys.readouterr().out.count("Rebalances") == 6
