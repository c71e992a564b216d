"""Text that must not be seen: passwords, keys and what opens them."""

from __future__ import annotations

from kafka_nextgen.text import can_be_sent

__all__ = ["Secret"]


class Secret:
    """A secret, shown as ``***`` wherever it is printed, logged or put into an error.

    Only ``reveal`` gives it away. Two secrets are compared in a time that does not tell where they differ. Raises
    ``ValueError`` for text that can't be sent: Python's own error about it would have the secret in it, later.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        if not can_be_sent(text):
            raise ValueError(
                "must be text that UTF-8 has: it has a lone surrogate, as os.environ makes of bytes that are not UTF-8 "
                "(it is not shown here)"
            )
        self._text = text

    @classmethod
    def of(cls, value: Secret | str) -> Secret:
        """Make a secret of what may be one already."""
        return value if isinstance(value, Secret) else cls(value)

    def reveal(self) -> str:
        """The secret itself."""
        return self._text

    def __eq__(self, other: object) -> bool:
        from hmac import compare_digest  # of a package that few clients need: most have no secrets

        return isinstance(other, Secret) and compare_digest(self._text.encode(), other.reveal().encode())

    def __hash__(self) -> int:
        return hash(Secret)  # all alike: a hash of the text would tell of it

    def __repr__(self) -> str:
        return "***"

    __str__ = __repr__
