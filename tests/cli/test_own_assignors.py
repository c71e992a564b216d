"""Assignors of one's own on the command line."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kafka_nextgen.assignors import RangeAssignor
from kafka_nextgen.cli.assignors.loading import load_assignor_classes
from kafka_nextgen.errors import ConfigError

KEY = "group.consumer.assignors"


def test_a_class_is_found_by_its_module_and_names_stay_names() -> None:
    properties = load_assignor_classes({KEY: "uniform, kafka_nextgen.assignors:RangeAssignor", "num.partitions": "a:b"})
    assert properties == {KEY: ["uniform", RangeAssignor], "num.partitions": "a:b"}


def test_the_current_directory_is_looked_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "of_the_shop.py").write_text("from kafka_nextgen.assignors import RangeAssignor as ByShop")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert load_assignor_classes({"group_consumer_assignors": "of_the_shop:ByShop"}) == {
        "group_consumer_assignors": [RangeAssignor]
    }


@pytest.mark.parametrize("name", ["nowhere:X", "kafka_nextgen.assignors:X", ":X", "kafka_nextgen.assignors:"])
def test_what_is_not_there_is_named(name: str) -> None:
    with pytest.raises(ConfigError, match=f"{name} can't be imported") as refused:
        load_assignor_classes({KEY: name})
    assert refused.value.key == KEY
