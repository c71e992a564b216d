"""OAUTHBEARER: a token and optional SASL extensions (RFC 7628, KIP-255, KIP-342).

    C: n,,^Aauth=Bearer TOKEN^ANAME=VALUE^A^A
    S: (empty)                                  or an error: {"status":"invalid_token"}
    C:                                          ^A
    S:                                          SASL_AUTHENTICATION_FAILED

^A (0x01) separates the parts, so a token or an extension that contains one could inject parts. Both are checked before
they are sent: tokens by RFC 6750 section 2.1, extensions by RFC 7628, except that Kafka does not allow empty values.

After an error the broker has to end the login (RFC 7628 section 3.2.3), so a later success is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from kafka_nextgen.errors import AuthenticationError
from kafka_nextgen.transport.security.tokens import Token

__all__ = ["OauthBearerClient"]

_SEPARATOR: Final = "\x01"
_NO_CHANNEL_BINDING: Final = "n,,"
_ERROR_RECEIVED: Final = b"\x01"
_TOKEN: Final = re.compile(r"[A-Za-z0-9._~+/-]+=*")
_NAME: Final = re.compile(r"(?!auth$)[A-Za-z]+")
_VALUE: Final = re.compile(r"[\x21-\x7e \t\r\n]+")
_MAX_ERROR: Final = 500


class OauthBearerClient:
    """One login with this token; ``refusal`` is the error as the broker sent it."""

    def __init__(self, token: Token) -> None:
        self._token = token
        self.refusal = ""

    def initial_response(self) -> bytes:
        """The token. Raises ``AuthenticationError`` if it or an extension can't be sent."""
        parts = [_NO_CHANNEL_BINDING, f"auth=Bearer {self._checked_token()}", *self._extensions(), "", ""]
        return _SEPARATOR.join(parts).encode()

    def evaluate_challenge(self, challenge: bytes) -> bytes | None:
        """Acknowledge the broker's error, after which it has to end the login. Raises ``AuthenticationError``."""
        if self.refusal:
            raise AuthenticationError(f"OAUTHBEARER: the broker refuses the token: {self.refusal}")
        if not challenge:
            return None
        self.refusal = challenge.decode(errors="replace")[:_MAX_ERROR]
        return _ERROR_RECEIVED

    def _checked_token(self) -> str:
        text = self._token.text.reveal()
        if not _TOKEN.fullmatch(text):
            raise AuthenticationError(
                "OAUTHBEARER: the token can't be sent: give letters, digits and -._~+/ with = at its end only (RFC "
                "6750), without Bearer in front and without a line end (it is not shown here)"
            )
        return text

    def _extensions(self) -> Iterator[str]:
        for name, value in self._token.extensions.items():
            if not (_NAME.fullmatch(name) and _VALUE.fullmatch(value)):
                raise AuthenticationError(
                    f"OAUTHBEARER: the extension {name!r} can't be sent: give it a name of letters other than auth, "
                    "and a value of printable ASCII that is not empty (RFC 7628)"
                )
            yield f"{name}={value}"
