"""The other clients, as they are installed."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from types import ModuleType

import pytest


def installed(package: str) -> ModuleType:
    """Import a client, or skip the test."""
    module: ModuleType = pytest.importorskip(package)
    return module


def defaults_of(package: str) -> Mapping[str, object]:
    """The keys of kafka-python's or aiokafka's consumer, and their defaults."""
    if package == "kafka":
        found: Mapping[str, object] = installed("kafka").KafkaConsumer.DEFAULT_CONFIG
        return found
    parameters = inspect.signature(installed("aiokafka").AIOKafkaConsumer).parameters
    return {name: each.default for name, each in parameters.items() if name != "topics"}
