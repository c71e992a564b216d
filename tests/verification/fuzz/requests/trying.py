"""Tries requests on an embedded broker. A finding is a request that an exception ends which nobody expected, a
connection that is closed without an answer, or an answer that can't be read or does not come.

The broker's time stands still, but for a moment after each request: what a seed finds does not depend on the machine.
An answer may have to wait for other members; then the connection is given up.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random

from attrs import define, field, frozen

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.requests.api_versions import to_request
from kafka_nextgen.testing import Cluster
from kafka_nextgen.wire import apis
from tests.support.turning_loop import StandingClock
from tests.testing.broker.client import Client
from tests.testing.broker.requests import topic_id_of
from tests.verification.fuzz.requests.drawing import Drawn, draw
from tests.verification.fuzz.requests.words import TOPICS, Words

#: Their answers wait for other members.
_WAITING = (apis.JOIN_GROUP, apis.SYNC_GROUP, apis.CONSUMER_GROUP_PREPARE_ASSIGNMENT)
_MOMENT_S = 0.002  # the shortest time limits are over then
_LONGEST_S = 60.0  # and an answer to a client that was throttled has come
_BROKER_LOG = "kafka_nextgen"


@frozen
class Finding:
    """A request, and what happened instead of an answer."""

    drawn: Drawn
    what: str

    @property
    def place(self) -> str:
        """By what it is told from others: the API and the last line of the traceback that is code, or what happened."""
        lines = [line.strip() for line in self.what.splitlines() if line.startswith("  File")]
        return f"{self.drawn.api.name}: {lines[-1] if lines else self.what.partition('(')[0]}"


class _Exceptions(logging.Handler):
    """Keeps the tracebacks that the broker logs."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.seen: list[str] = []
        self._formatter = logging.Formatter()

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info:
            self.seen.append(self._formatter.formatException(record.exc_info))


@define
class Trial:
    """A broker, the connection to it, and the findings so far, one for each place."""

    words: Words
    bootstrap_servers: str
    exceptions: _Exceptions
    advance: Callable[[float], None]
    findings: dict[str, Finding] = field(factory=dict)
    answered: int = 0
    tried: int = 0
    _client: Client | None = None

    def run(self, requests: int) -> None:
        """Draw so many requests and send them, one after the other."""
        for _ in range(requests):
            self.try_one(draw(self.words))

    def try_one(self, drawn: Drawn) -> None:
        """Send a request, and keep what is found."""
        self.exceptions.seen.clear()
        self.tried += 1
        failed = self._ask(drawn)
        what = "\n".join(self.exceptions.seen) or failed
        if what:
            finding = Finding(drawn, what)
            self.findings.setdefault(finding.place, finding)

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def _ask(self, drawn: Drawn) -> str | None:
        client = self._connected()
        client.send(drawn.message, drawn.version)
        self.advance(_MOMENT_S)
        if drawn.api not in _WAITING and not client.has_answer(0):
            self.advance(_LONGEST_S)
        try:
            if not client.has_answer(0):
                self.close()
                return None if drawn.api in _WAITING else "no answer"
            self.words.learn(client.receive(drawn.api, drawn.version))
            self.answered += 1
            if drawn.api is apis.API_VERSIONS:  # which may have said that this is another client
                self.close()
        except (OSError, DecodeError) as error:
            self.close()
            return f"{type(error).__name__}: {error}"
        return None

    def _connected(self) -> Client:
        """The connection, as that of a client that may use the extensions."""
        if self._client is None:
            self._client = Client(self.bootstrap_servers, client_id="fuzzer")
            self._client.ask(apis.API_VERSIONS, to_request("1"))
        return self._client


@contextmanager
def fuzzed(seed: int) -> Iterator[Trial]:
    """Start a cluster that requests are drawn for, always the same of a seed."""
    exceptions, log = _Exceptions(), logging.getLogger(_BROKER_LOG)
    log.addHandler(exceptions)
    try:
        config = {"group.consumer.assignment.interval.ms": 0, "group.initial.rebalance.delay.ms": 0}
        with Cluster(config=config, clock=StandingClock()) as cluster:
            for topic, partitions in TOPICS.items():
                cluster.create_topic(topic, partitions)
            with Client(cluster.bootstrap_servers) as client:
                ids = [topic_id_of(client, topic) for topic in TOPICS]
            trial = Trial(Words(Random(seed), ids), cluster.bootstrap_servers, exceptions, cluster.advance)
            try:
                yield trial
            finally:
                trial.close()
    finally:
        log.removeHandler(exceptions)
