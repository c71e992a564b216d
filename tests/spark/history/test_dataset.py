"""Folders for groups of any name, and days for times of any clock."""

from __future__ import annotations

import re
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pyspark")

from kafka_nextgen.spark.history.dataset import day_of, folder_of


@given(st.text(min_size=1))
def test_a_folder_is_a_name_that_every_file_system_takes(group: str) -> None:
    folder = folder_of(group)
    assert re.fullmatch(r"[a-z0-9._-]{1,40}~[0-9a-f]{12}", folder)


def test_groups_that_differ_in_case_or_at_the_end_have_folders_of_their_own() -> None:
    groups = ["Billing", "billing", "x" * 249, "x" * 248 + "y", "a=b", "a/b", "007", "7"]
    assert len({folder_of(group) for group in groups}) == len(groups)


@pytest.mark.parametrize(
    ("at", "day"),
    [
        (0, date(1970, 1, 1)),
        (1_764_115_199_999, date(2025, 11, 25)),
        (1_764_115_200_000, date(2025, 11, 26)),
        ((1 << 63) - 1, date(9999, 12, 31)),
    ],
)
def test_a_day_is_that_of_utc(at: int, day: date) -> None:
    assert day_of(at) == day
