"""Text that must not be shown, such as passwords."""

from __future__ import annotations

from collections.abc import Callable
from traceback import extract_tb
from typing import TypeVar

from kafka_nextgen.errors import AuthenticationError, OutageError
from kafka_nextgen.text import can_be_sent

__all__ = ["Secret", "SecretSource", "call_privately"]

T = TypeVar("T")


class Secret:
    """A secret, shown as ``***`` when it is printed, logged or part of an error. ``reveal`` returns it.

    Secrets are compared in constant time. Raises ``ValueError`` for text that UTF-8 can't encode: a later
    ``UnicodeEncodeError`` would contain the secret.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        if not can_be_sent(text):
            raise ValueError(
                "must be text that UTF-8 can encode: it contains a lone surrogate, which os.environ uses for bytes "
                "that are not UTF-8 (it is not shown here)"
            )
        self._text = text

    @classmethod
    def of(cls, value: Secret | str) -> Secret:
        """Convert a string; returns a secret unchanged."""
        return value if isinstance(value, Secret) else cls(value)

    def reveal(self) -> str:
        """The text of the secret."""
        return self._text

    def __eq__(self, other: object) -> bool:
        from hmac import compare_digest  # imported here, since most clients have no secrets

        return isinstance(other, Secret) and compare_digest(self._text.encode(), other.reveal().encode())

    def __hash__(self) -> int:
        return hash(Secret)  # the same for all secrets: a hash of the text would reveal something about it

    def __repr__(self) -> str:
        return "***"

    __str__ = __repr__


def call_privately(call: Callable[[], T], key: str) -> T:
    """Call the application's function ``call``, which is the value of ``key``, and return its result.

    Raises ``OutageError`` if the call raises. The original error is not chained as the cause, since it may contain a
    secret.
    """
    try:
        return call()
    except Exception as error:
        kind, place = type(error).__name__, extract_tb(error.__traceback__)[-1]
    raise OutageError(f"{key} raised {kind} ({place.filename}, line {place.lineno})")


class SecretSource:
    """A secret that may change: ``ask`` returns the current value, and may block. ``key`` is the configuration key.

    It is shown as ``***``, since the representation of a callable may contain its arguments.
    """

    __slots__ = ("_ask", "_key")

    def __init__(self, key: str, ask: Callable[[], object]) -> None:
        self._key = key
        self._ask = ask

    def secret(self) -> Secret:
        """Call the function that returns the secret. Errors are raised without their cause, because it may contain the
        secret.

        Raises ``OutageError`` if ``ask`` raises, ``AuthenticationError`` if it does not return text.
        """
        return self._checked(call_privately(self._ask, self._key))

    def _checked(self, answer: object) -> Secret:
        text = answer.reveal() if isinstance(answer, Secret) else answer
        if isinstance(text, str) and text and can_be_sent(text):
            return Secret(text)
        raise AuthenticationError(
            f"{self._key} must return a non-empty string that UTF-8 can encode, not this {type(answer).__name__} (it "
            "is not shown here). It is called in a thread for each login, and must be a plain function"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SecretSource) and (self._key, self._ask) == (other._key, other._ask)

    def __hash__(self) -> int:
        return hash((self._key, self._ask))

    def __repr__(self) -> str:
        return "***"

    __str__ = __repr__
