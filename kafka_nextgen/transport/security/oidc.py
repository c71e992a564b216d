"""Tokens from an OpenID provider, using the client credentials grant (RFC 6749 section 4.4, KIP-768).

The secret goes only to the configured address: over https with certificate and host name checked, without redirects,
and ignoring proxies set in the environment. The answer is limited in time and size. Errors show only the code of a
refusal (RFC 6749 section 5.2).

A refusal is an ``AuthenticationError``. A provider that can't be reached or is overloaded is an ``OutageError``.
"""

from __future__ import annotations

import http.client
import json
import ssl
from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import quote_plus, urlencode, urlsplit

from kafka_nextgen import clocks
from kafka_nextgen.errors import AuthenticationError, OutageError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.properties.secret import Secret
from kafka_nextgen.text import can_be_sent
from kafka_nextgen.transport.security.oauthbearer import Token

__all__ = ["TokenEndpoint"]

_MAX_ANSWER_BYTES: Final = 256 * 1024
_TIMEOUT_S: Final = 10.0
_OK: Final = 200
_BUSY: Final = (408, 429)
_SERVER_ERROR: Final = 500


@frozen
class TokenEndpoint:
    """A token endpoint. A call requests a token and blocks."""

    url: str
    client_id: str
    client_secret: Secret
    scope: str | None
    contexts: Callable[[], ssl.SSLContext]
    now: Callable[[], float] = clocks.time
    timeout_s: float = _TIMEOUT_S

    def __call__(self) -> Token:
        """Request a token. Raises ``TransportError``."""
        try:
            status, body = self._post()
        except (OSError, http.client.HTTPException) as error:
            raise OutageError(f"{self}: can't be reached ({_reason(error)})") from error
        answer = _as_object(body)
        if status in _BUSY or status >= _SERVER_ERROR:
            raise OutageError(f"{self}: failed with status {status}")
        if status != _OK:
            word = answer.get("error")
            raise self._failed(f"refused, with status {status}" + (f": {word[:80]!r}" if isinstance(word, str) else ""))
        return self._token(answer)

    def _post(self) -> tuple[int, bytes]:
        where = urlsplit(self.url)
        fields = {"grant_type": "client_credentials"} | ({"scope": self.scope} if self.scope else {})
        path = (where.path or "/") + (f"?{where.query}" if where.query else "")
        connection = http.client.HTTPSConnection(
            where.hostname or "", where.port, context=self.contexts(), timeout=self.timeout_s
        )
        try:
            connection.request("POST", path, urlencode(fields), self._headers())
            answer = connection.getresponse()
            return answer.status, self._body(answer)
        finally:
            connection.close()

    def _body(self, answer: http.client.HTTPResponse) -> bytes:
        """Read the body within the limits; the socket's own timeout restarts with each piece."""
        ends_at, body = clocks.monotonic() + self.timeout_s, b""
        while len(body) <= _MAX_ANSWER_BYTES and clocks.monotonic() < ends_at:
            piece = answer.read1(_MAX_ANSWER_BYTES)
            if not piece:
                return body
            body += piece
        raise self._failed(
            f"its answer is longer than {_MAX_ANSWER_BYTES} bytes or takes longer than {self.timeout_s:g} s"
        )

    def _headers(self) -> Mapping[str, str]:
        who = f"{quote_plus(self.client_id)}:{quote_plus(self.client_secret.reveal())}"
        return {
            "Authorization": f"Basic {b64encode(who.encode()).decode()}",
            "Content-Type": "application/x-www-form-urlencoded",
            "Accept": "application/json",
        }

    def _token(self, answer: Mapping[str, object]) -> Token:
        text, life_s = answer.get("access_token"), answer.get("expires_in")
        if not isinstance(text, str) or not text or not can_be_sent(text):
            raise self._failed("its answer has no access_token")
        lives = isinstance(life_s, int | float) and not isinstance(life_s, bool) and 0 < life_s < 2**31
        return Token(Secret(text), self.now() + float(life_s) if lives else None)  # type: ignore[arg-type]

    def _failed(self, why: str) -> AuthenticationError:
        return AuthenticationError(f"{self}: {why}")

    def __str__(self) -> str:
        return f"OAUTHBEARER: the token endpoint {urlsplit(self.url).hostname}"


def _as_object(body: bytes) -> Mapping[str, object]:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return answer if isinstance(answer, dict) else {}


def _reason(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message
    return getattr(error, "strerror", None) or type(error).__name__
