"""Every error goes through a pickle, to another process or into a log, with all that it carries."""

from __future__ import annotations

import copy
import pickle

import pytest

from kafka_nextgen import errors
from kafka_nextgen.errors import (
    AuthenticationError,
    BrokerError,
    CommitFailedError,
    ConfigError,
    CorruptRecordError,
    DeserializationError,
    DisconnectedError,
    KafkaNextgenError,
    LogTruncationError,
    NoBrokersError,
    OutageError,
    RequestTimeoutError,
    TlsError,
    TransportError,
)
from kafka_nextgen.types import OffsetAndMetadata, Record, TimestampType, TopicPartition

ORDERS = TopicPartition("orders", 3)


def made(kind: type[KafkaNextgenError]) -> KafkaNextgenError:
    """An error of this kind with something in every place."""
    if issubclass(kind, CommitFailedError):
        return kind("refused", code=25, retriable=True, group="g", member="m", failed={ORDERS: "UNKNOWN_MEMBER_ID"})
    if issubclass(kind, LogTruncationError):
        return kind("gone", code=1, partition=ORDERS, position=OffsetAndMetadata(9, 2), diverging=None)
    if issubclass(kind, BrokerError):
        return kind("refused", code=82, retriable=True, group="g", member="m", partition=ORDERS)
    if issubclass(kind, CorruptRecordError):
        return kind("broken", ORDERS, 7)
    if issubclass(kind, DeserializationError):
        return kind("broken", Record("orders", 3, 7, 0, TimestampType.CREATE_TIME, None, b"{"), "value")
    return kind("no such key", "group.idd") if issubclass(kind, ConfigError) else kind("it went wrong")


KINDS: list[type[KafkaNextgenError]] = [getattr(errors, name) for name in errors.__all__]


@pytest.mark.parametrize("kind", KINDS, ids=errors.__all__)
def test_an_error_comes_out_of_a_pickle_as_it_went_in_and_a_copy_is_another_one(kind: type[KafkaNextgenError]) -> None:
    error = made(kind)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(error, protocol))
        assert (type(again), str(again), again.args, vars(again)) == (kind, str(error), error.args, vars(error))
    again = copy.copy(error)
    again.note = "kept by the copy"  # type: ignore[attr-defined]
    assert not hasattr(error, "note")


def test_what_may_pass_and_what_was_refused_for_good_are_both_transport_errors_and_never_the_same() -> None:
    transport = {kind for kind in KINDS if issubclass(kind, TransportError)} - {TransportError}
    passing = {kind for kind in transport if issubclass(kind, OutageError)}
    assert passing == {OutageError, RequestTimeoutError, DisconnectedError, NoBrokersError}
    assert transport - passing == {AuthenticationError, TlsError}
