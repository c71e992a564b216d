"""A vault or a file server that never answers does not collect threads: others give up after a while."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable

import pytest

from kafka_nextgen.errors import OutageError
from kafka_nextgen.transport.security import in_turn as module
from kafka_nextgen.transport.security.in_turn import in_turn
from tests.transport.security.sasl_script import PASSWORD, security
from tests.transport.security.tls_sides import context_of, tls


def ask_for_password(password: Callable[[], object]) -> Callable[[], object]:
    login = security("PLAIN", password).login
    assert login is not None
    new_client = login.new_client
    return lambda: new_client("localhost")


def ask_for_context(context: Callable[[], object]) -> Callable[[], object]:
    secured = tls(ssl_context=context)
    return lambda: context_of(secured)


@pytest.mark.parametrize(
    ("asking", "answer", "what"),
    [
        (ask_for_password, PASSWORD, r"sasl\.password"),
        (ask_for_context, ssl.create_default_context(), r"ssl\.context"),
    ],
)
def test_while_a_callable_does_not_return_others_give_up(
    asking: Callable[[Callable[[], object]], Callable[[], object]],
    answer: object,
    what: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MOST_WAIT_S", 0.0)
    began, goes_on = threading.Event(), threading.Event()

    def blocks() -> object:
        if not began.is_set():
            began.set()
            goes_on.wait()
        return answer

    ask = asking(blocks)
    first = threading.Thread(target=ask, daemon=True)
    first.start()
    began.wait()
    with pytest.raises(OutageError, match=f"{what} has not returned since it was last called"):
        ask()
    goes_on.set()
    first.join()
    ask()


def test_a_call_that_raised_has_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_WAIT_S", 0.0)
    divide = in_turn(iter([0, 1]).__next__, "the numbers")
    assert [divide(), divide()] == [0, 1]
    for _ in range(2):
        with pytest.raises(StopIteration):
            divide()
