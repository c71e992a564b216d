"""Asking a broker until it is no longer busy with what was asked before, or with finding a coordinator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kafka_nextgen.codes import ErrorCode, name_of
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.apis import Api
from kafka_nextgen.wire.messages import FindCoordinatorRequest, InitProducerIdRequest
from kafka_nextgen.wire.schema import Message
from tests.support.waiting import eventually
from tests.testing.broker.client import Client

_BUSY = {
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_COORDINATOR,
    ErrorCode.CONCURRENT_TRANSACTIONS,
}


def ask_patiently(
    client: Client,
    api: Api,
    request: Message,
    version: int,
    error_of: Callable[[Any], int] = lambda answer: answer.error_code,
) -> Any:
    """Return the first answer whose error does not say that the broker is busy."""
    answers: list[Any] = []

    def is_done() -> bool:
        answers.append(client.ask(api, request, version))
        return error_of(answers[-1]) not in _BUSY

    eventually(f"{api} is answered", is_done)
    return answers[-1]


def begin_transactional_id(client: Client, name: str, timeout_ms: int) -> tuple[int, int]:
    """Become the producer of a transactional id; return producer id and epoch."""
    find = FindCoordinatorRequest(coordinator_keys=[name], key_type=1)
    ask_patiently(client, apis.FIND_COORDINATOR, find, 4, lambda answer: answer.coordinators[0].error_code)
    init = InitProducerIdRequest(transactional_id=name, transaction_timeout_ms=timeout_ms)
    begun = ask_patiently(client, apis.INIT_PRODUCER_ID, init, 4)
    assert begun.error_code == ErrorCode.NONE, name_of(begun.error_code)
    return begun.producer_id, begun.producer_epoch
