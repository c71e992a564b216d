"""Principals: the client of a connection, as ``User:name``.

Without authentication a client is ``User:ANONYMOUS``. With SASL the name is the user's. With a client certificate it
is the certificate's distinguished name as RFC 2253 writes it, the last part first: ``User:CN=billing,O=Example``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.lazy_patterns import lazy_pattern

__all__ = ["ANONYMOUS", "Principal", "of_certificate"]

USER: Final = "User"

#: A subject as ``ssl.SSLSocket.getpeercert`` returns it: sets of (attribute, value), the most general first.
Subject = Iterable[Iterable[tuple[str, str]]]

#: The short names of RFC 2253.
_SHORT: Final[Mapping[str, str]] = {
    "commonName": "CN",
    "countryName": "C",
    "domainComponent": "DC",
    "localityName": "L",
    "organizationName": "O",
    "organizationalUnitName": "OU",
    "stateOrProvinceName": "ST",
    "streetAddress": "STREET",
    "userId": "UID",
}

_SPECIAL = lazy_pattern(r'([,+"\\<>;=])')


@frozen(order=True)
class Principal:
    """A type, which is ``User`` unless rules say something else, and a name."""

    type: str
    name: str

    @classmethod
    def user(cls, name: str) -> Principal:
        """The principal of a user."""
        return cls(USER, name)

    @classmethod
    def parse(cls, text: str) -> Principal:
        """Read ``Type:name``. Raises ``ValueError``."""
        kind, colon, name = text.partition(":")
        if not (kind and colon and name):
            raise ValueError(f"{text!r} is not a principal: use the form Type:name, such as User:alice")
        return cls(kind, name)

    def __str__(self) -> str:
        return f"{self.type}:{self.name}"


#: Clients that have not authenticated.
ANONYMOUS: Final = Principal.user("ANONYMOUS")


def of_certificate(subject: Subject) -> Principal:
    """The principal of a client that presented a certificate with this subject; anonymous if the subject is empty."""
    parts = ["+".join(f"{_SHORT.get(name, name)}={_escaped(value)}" for name, value in part) for part in subject]
    return Principal.user(",".join(reversed(parts))) if parts else ANONYMOUS


def _escaped(value: str) -> str:
    text = _SPECIAL.sub(r"\\\1", value)
    return f"\\{text}" if text.startswith(("#", " ")) else text
