from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.assignors import AssignorMetadata, Metadata
from kafka_nextgen.assignors.user_data import (
    AssignorWord,
    Failure,
    MemberWord,
    read_assignor_word,
    read_member_word,
    write_assignor_word,
    write_member_word,
)

VERSIONS = st.integers(-1, 32767)
OURS = st.builds(
    MemberWord,
    st.builds(AssignorMetadata, st.integers(-128, 127), st.builds(Metadata, st.integers(0, 32767), st.binary())),
    VERSIONS,
    st.integers(0, 32767),
)
FAILURES = st.builds(Failure, st.integers(-1, 32767), st.text())
ANSWERS = st.builds(
    AssignorWord,
    st.integers(-128, 127),
    st.none() | st.builds(Metadata, st.integers(0, 32767), st.binary()),
    st.none() | FAILURES,
)
WORD = MemberWord(AssignorMetadata(3, Metadata(1, b"heavy")), 0, 1)
ANSWER = AssignorWord(2, Metadata(1, b"take it"), Failure(112, "cannot"))


@given(OURS)
def test_a_members_word_arrives_as_it_was_said(word: MemberWord) -> None:
    assert read_member_word(write_member_word(word)) == word


@given(ANSWERS)
def test_an_assignors_word_arrives_as_it_was_said(word: AssignorWord) -> None:
    assert read_assignor_word(write_assignor_word(word)) == word


def test_the_bytes_are_those_that_were_agreed_on() -> None:
    assert write_member_word(WORD) == b"KNGm\0\0\0\1\3\0\1\0\0\0\5heavy"
    assert write_assignor_word(ANSWER) == b"KNGa\2\0\1\0\0\0\7take it\0\x70\0\0\0\6cannot"


@pytest.mark.parametrize("user_data", [b"", b"\0", b"KNG", b"KNGm", b"somebody's own format"])
def test_foreign_user_data_is_of_version_minus_one(user_data: bytes) -> None:
    word = read_member_word(user_data)
    assert word.said == AssignorMetadata(0, Metadata(-1, user_data))
    assert word.reads(-1)
    assert not word.reads(0)
    assert write_member_word(word) == (user_data or None)
    assert read_assignor_word(user_data).metadata == (Metadata(-1, user_data) if user_data else None)


def test_what_ends_early_is_foreign() -> None:
    whole = write_member_word(WORD)
    answer = write_assignor_word(ANSWER)
    assert whole is not None
    assert answer is not None
    for data in (whole[:size] for size in range(len(whole))):
        assert read_member_word(data).said.metadata == Metadata(-1, data)
    for data in (answer[:size] for size in range(1, len(answer))):
        assert read_assignor_word(data) == AssignorWord(metadata=Metadata(-1, data))


def test_a_length_beyond_the_data_is_foreign() -> None:
    data = b"KNGm\0\0\0\1\3\0\1\x7f\xff\xff\xffheavy"
    assert read_member_word(data).said.metadata == Metadata(-1, data)


def test_fields_of_a_later_release_are_not_read() -> None:
    assert read_member_word((write_member_word(WORD) or b"") + b"more") == WORD
    assert read_assignor_word((write_assignor_word(ANSWER) or b"") + b"more") == ANSWER


def test_nothing_to_say_is_no_user_data() -> None:
    assert write_assignor_word(AssignorWord()) is None
    assert read_assignor_word(None) == AssignorWord()
    assert read_member_word(None) == MemberWord()


def test_metadata_for_a_foreign_member_is_written_bare() -> None:
    assert write_assignor_word(AssignorWord(metadata=Metadata(-1, b"its own format"))) == b"its own format"
