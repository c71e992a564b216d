"""google-re2 has no wheels for musl (Alpine Linux). Without it only the broker checks and matches patterns."""

from __future__ import annotations

import subprocess
import sys
import warnings

import pytest

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.properties.patterns import SubscriptionPattern
from kafka_nextgen.properties.re2j import Verdict, judge
from kafka_nextgen.testing import Cluster
from tests.support.waiting import GUARD_S

#: Another process, so that the broker has google-re2 and the consumer has not.
CONSUMER = """
import sys
sys.modules["re2"] = None
from kafka_nextgen import Consumer, SubscriptionPattern
settings = {"bootstrap.servers": sys.argv[1], "group.protocol": sys.argv[2], "auto.offset.reset": "earliest"}
with Consumer({"group.id": "billing", **settings}) as consumer:
    consumer.subscribe(SubscriptionPattern(sys.argv[3]))
    print(next(iter(consumer)).topic)
"""


@pytest.fixture
def without_re2(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)


def consume(cluster: Cluster, protocol: str, pattern: str) -> tuple[str, str]:
    command = [sys.executable, "-c", CONSUMER, cluster.bootstrap_servers, protocol, pattern]
    done = subprocess.run(command, capture_output=True, text=True, timeout=GUARD_S)
    return done.stdout.strip(), done.stderr


def test_the_broker_matches_the_pattern_of_a_consumer_without_the_engine() -> None:
    with Cluster() as cluster:
        cluster.produce("orders-eu", ["a record"])
        assert consume(cluster, "consumer", "orders.*") == ("orders-eu", "")


def test_the_broker_refuses_what_the_consumer_could_not_check() -> None:
    with Cluster() as cluster:
        _, error = consume(cluster, "consumer", "orders(")
    assert "INVALID_REGULAR_EXPRESSION" in error
    assert "missing )" in error


def test_a_classic_member_has_to_match_patterns_itself_and_says_what_to_install() -> None:
    with Cluster() as cluster:
        _, error = consume(cluster, "classic", "orders.*")
    assert "ConfigError: pattern 'orders.*' can't be tried here: google-re2 is not installed (pip install" in error


@pytest.mark.usefixtures("without_re2")
def test_a_pattern_is_not_warned_of() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SubscriptionPattern("orders(")
    assert judge("orders(").verdict is Verdict.UNKNOWN


@pytest.mark.usefixtures("without_re2")
def test_what_can_be_seen_without_the_engine_still_is() -> None:
    with pytest.raises(ConfigError, match="look-around"):
        SubscriptionPattern("orders(?!-eu)")
    with pytest.warns(UserWarning, match=r"invalid escape sequence: \\C"):
        SubscriptionPattern(r"a\C")
    with pytest.warns(UserWarning, match="anchor at one end"):
        SubscriptionPattern("^orders")


@pytest.mark.usefixtures("without_re2")
def test_it_can_not_be_previewed() -> None:
    with pytest.raises(ConfigError, match=r"tried here: google-re2 is not installed \(pip install google-re2\)"):
        SubscriptionPattern("orders.*").preview(["orders"])
