"""Text that must not be shown, such as passwords."""

from __future__ import annotations

from kafka_nextgen.text import can_be_sent

__all__ = ["Secret"]


class Secret:
    """A secret, shown as ``***`` when it is printed, logged or part of an error. ``reveal`` returns it.

    Secrets are compared in constant time. Raises ``ValueError`` for text that UTF-8 can't encode: a later
    ``UnicodeEncodeError`` would contain the secret.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        if not can_be_sent(text):
            raise ValueError(
                "must be text that UTF-8 can encode: it has a lone surrogate, as os.environ has for bytes that are not "
                "UTF-8 (it is not shown here)"
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
        return hash(Secret)  # the same for all: a hash of the text would reveal something about it

    def __repr__(self) -> str:
        return "***"

    __str__ = __repr__
