"""Formats in a forked process: no lock is held there, even if another thread of the parent held it."""

from __future__ import annotations

import os
import threading
from typing import Any
from uuid import UUID

import pytest
from google.protobuf import message_factory

from kafka_nextgen.values import Protobuf, framing
from kafka_nextgen.values.registry.lookups import Lookups
from tests.support.forking import in_forked_process
from tests.support.waiting import GUARD_S
from tests.values.decoding import buffers_of
from tests.values.protobuf_messages import F, class_of, file_of

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")


def test_guids_get_numbers() -> None:
    with framing._numbers._lock:
        in_forked_process(lambda: framing.number_of(UUID(int=5)))


def test_a_registry_is_asked() -> None:
    lookups = Lookups(lambda key: key, 1, 1.0)
    with lookups._lock:
        in_forked_process(lambda: lookups.get("a", GUARD_S))


def test_protobuf_s_classes_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are created for the first value without the extension, or for the first one that repeats a field."""
    message = class_of(file_of("proto3", {"M": [F("id", 1, "int64")]}), "M")
    values = buffers_of([message(id=5).SerializeToString()])
    real, is_making, may_go_on = message_factory.GetMessageClass, threading.Event(), threading.Event()

    def held(descriptor: Any) -> Any:
        is_making.set()
        may_go_on.wait(GUARD_S)
        return real(descriptor)

    def decode() -> None:
        decoder: Any = Protobuf(message).decoder("value", True)
        assert decoder.decode(values, 0, 1, in_c=False)[1] == []

    def decode_in_child() -> None:
        message_factory.GetMessageClass = real
        decode()

    monkeypatch.setattr(message_factory, "GetMessageClass", held)
    thread = threading.Thread(target=decode)
    thread.start()
    assert is_making.wait(GUARD_S)
    try:
        in_forked_process(decode_in_child)
    finally:
        may_go_on.set()
        thread.join()
