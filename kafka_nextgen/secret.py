"""Text that must not be seen: passwords, keys and what opens them."""

from __future__ import annotations

__all__ = ["Secret"]


class Secret:
    """A secret, shown as ``***`` wherever it is printed, logged or put into an error.

    Only ``reveal`` gives it away. Two secrets are compared in a time that does not tell where they differ.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
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
