"""``SchemaRegistry``: schemas by id, GUID and subject, from Confluent's registry or another one with the same API.

A request is sent to one URL after the other, starting with the last one that answered. Temporary failures (no
connection, 408, 429 and 5xx) are retried after a pause, which doubles each time or is as long as the registry requires.
Other failures are final. Answers are limited in time and size, and checked.
"""

from __future__ import annotations

import math
import random
import re
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from http import HTTPStatus
from typing import Any, Final, Literal, TypeVar
from uuid import UUID

from kafka_nextgen import clocks
from kafka_nextgen.errors import ConfigError, RegistryError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.properties.secret import Secret
from kafka_nextgen.values.references import Reference, Referencing, path_of, references_of
from kafka_nextgen.values.registry.answers import refusal_of, schema_in, seconds_to_wait, versions_in
from kafka_nextgen.values.registry.credentials import Token, authorization_of, basic, checked_headers
from kafka_nextgen.values.registry.http_exchange import Address, Answer, TooLargeError, UnreachableError, get
from kafka_nextgen.values.registry.lookups import Lookups
from kafka_nextgen.values.registry.tls import Tls, context_maker
from kafka_nextgen.values.schema_source import RegisteredSchema, long_id_of

__all__ = ["MOST_ANSWER_BYTES", "SchemaRegistry"]

logger = logger_of(__name__)

T = TypeVar("T")

_ACCEPT: Final = "application/vnd.schemaregistry.v1+json, application/json"
_TRANSIENT: Final = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS)
_SERVER_ERROR: Final = 500
_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 5.0
#: Parsed JSON takes up to 28 times the memory of its text. Registries that store schemas in Kafka accept about 1 MiB
#: (``max.request.size``). Compiled Protobuf descriptors, in base64, can be larger than the text of their .proto file.
MOST_ANSWER_BYTES: Final = 2 << 20


class SchemaRegistry:
    """A client of a schema registry, with a cache. Calls block; any number of threads can make them.

    ``Avro(registry=SchemaRegistry("https://registry:8081"))`` uses it. A pickle contains the credentials, but not the
    cache.

    Args:
        url: the registry's URL, or several URLs of the same registry, which are tried in turn.
        user: the name and password for basic authentication. A URL can also contain them.
        token: a bearer token, or a function that returns it, called for each request.
        tls: keys of Kafka's clients, such as ``{"ssl.ca.location": "ca.pem"}``, or an ``ssl.SSLContext``. The
            system's certificate authorities are trusted by default.
        headers: additional headers, such as Confluent Cloud's ``target-sr-cluster``.
        timeout_s: the time limit of a call in seconds, including retries.
        cache_size: the number of schemas in the cache; the least recently used are removed first.
        missing_s: how long (seconds) the client remembers that a schema does not exist.
        max_answer_bytes: the maximum size of an answer in bytes, which limits the memory needed to parse it.

    Raises:
        ConfigError: an argument is invalid.
    """

    def __init__(
        self,
        url: str | Sequence[str],
        *,
        user: tuple[str, Secret | str] | None = None,
        token: Token | None = None,
        tls: Tls | None = None,
        headers: Mapping[str, str] | None = None,
        timeout_s: float = 30.0,
        cache_size: int = 1000,
        missing_s: float = 10.0,
        max_answer_bytes: int = MOST_ANSWER_BYTES,
    ) -> None:
        if user is not None and (isinstance(user, str) or len(user) != 2):
            raise ConfigError("user must be a tuple of a name and a password")
        if not url:
            raise ConfigError("url is empty: give the URL of a registry")
        user = None if user is None else (user[0], Secret.of(user[1]))
        token = Secret(token) if isinstance(token, str) else token
        self._arguments = {"user": user, "token": token, "tls": tls, "headers": headers, "timeout_s": timeout_s}
        self._arguments |= {"cache_size": cache_size, "missing_s": missing_s, "max_answer_bytes": max_answer_bytes}
        self._query = ""
        self._urls = [url] if isinstance(url, str) else list(url)
        self._addresses = [Address.of(each) for given in self._urls for each in given.split(",")]
        self._headers = {"Accept": _ACCEPT, **checked_headers(headers or {})}
        self._authorize = authorization_of(user, token)
        self._warn_of_open_credentials(user is not None or token is not None)
        self._context = context_maker(tls) if any(each.is_https for each in self._addresses) else None
        self._timeout_s, self._max_answer_bytes = timeout_s, max_answer_bytes
        self._lookups: Lookups[Any] = Lookups(self._find, cache_size, missing_s)

    def __repr__(self) -> str:
        return f"<SchemaRegistry {', '.join(map(str, self._addresses))}>"

    def __reduce__(self) -> tuple[object, ...]:
        return _remade, (self._urls, self._arguments, self._query)

    def schema_by_id(self, schema_id: int) -> RegisteredSchema:
        """Return the schema with this id, and all schemas that it references.

        Raises RegistryError, with ``http_status_code`` 404 if there is none.
        """
        what = long_id_of(schema_id)
        if isinstance(what, UUID):
            return self.schema_by_guid(what)
        return self._schema_at(f"schemas/ids/{what}")

    def schema_by_guid(self, guid: str | UUID) -> RegisteredSchema:
        """Return the schema with this GUID, which serializers put into headers; raises as ``schema_by_id`` does."""
        return self._schema_at(f"schemas/guids/{UUID(str(guid))}")

    def schema_of(self, subject: str, version: int | Literal["latest"] = "latest") -> RegisteredSchema:
        """Return a version of a subject; the latest one is not cached. Raises as ``schema_by_id`` does."""
        return self._schema_at(path_of(subject, version), keep=version != "latest")

    def versions_of(self, subject: str) -> list[int]:
        """Return the numbers of a subject's versions, which are not cached; raises as ``schema_by_id`` does."""
        found: list[int] = self._lookups.get(path_of(subject), self._timeout_s, keep=False)
        return found

    def serialized(self) -> SchemaRegistry:
        """Return a copy of this client that returns Protobuf's schemas as FileDescriptorProtos in base64."""
        other = copy(self)
        other._query = "?format=serialized"  # noqa: SLF001  (the same class)
        return other

    def _schema_at(self, path: str, keep: bool = True) -> RegisteredSchema:
        found: RegisteredSchema = self._lookups.get(path + self._query, self._timeout_s, keep)
        return found

    def _warn_of_open_credentials(self, has_credentials: bool) -> None:
        for each in self._addresses:
            if not each.is_https and (has_credentials or each.user is not None):
                logger.warning("%s: credentials are sent without encryption: use https", each)

    # ---- schemas and their references

    def _find(self, path: str) -> RegisteredSchema | list[int]:
        deadline = clocks.monotonic() + self._timeout_s
        if path.endswith("/versions"):
            return self._ask(path, deadline, versions_in)
        schema = self._ask(path, deadline, schema_in)
        what, question, query = path.partition("?")

        def find(reference: Reference) -> Referencing:
            at = path_of(reference.subject, reference.version) + question + query
            return _referencing(self._ask(at, deadline, schema_in))

        references = references_of(what, _referencing(schema), find)
        return RegisteredSchema(schema["schemaType"], schema["schema"], references, _id_of(schema, path))

    # ---- requests

    def _ask(self, path: str, deadline: float, read: Callable[[bytes, str], T]) -> T:
        """Repeat a request until it is answered or the deadline passes; ``read`` parses it. Raises RegistryError."""
        pause_s = _PAUSE_S
        while True:
            answered, failure, wanted_s = self._ask_each(path, deadline)
            if answered is not None:
                return read(*answered)
            wait_s = max(wanted_s, pause_s * (0.5 + random.random() / 2))
            if clocks.monotonic() + wait_s >= deadline:
                raise failure
            logger.warning("%s; trying again in %.1f s", failure, wait_s)
            time.sleep(wait_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)

    def _ask_each(self, path: str, deadline: float) -> tuple[tuple[bytes, str] | None, RegistryError, float]:
        """Send the request once to each address.

        Returns the answer's body and its source, the last failure, and the minimum time to wait (seconds).
        """
        failure, wanted_s, lasts = RegistryError(f"{path}: no address"), 0.0, True
        for index, address in enumerate(self._addresses):
            left_s = (deadline - clocks.monotonic()) / (len(self._addresses) - index)  # leave time for the others
            try:
                answer = self._answer(address, path, clocks.monotonic() + left_s)
            except UnreachableError as error:
                failure = RegistryError(f"{address}: {path}: can't be reached: {error}")
                lasts = lasts and error.lasts
                continue
            if answer.status == HTTPStatus.OK:
                self._addresses = [address, *(each for each in self._addresses if each is not address)]
                return (answer.body, f"{address}: {path}"), failure, 0.0
            failure, lasts = refusal_of(answer, f"{address}: {path}"), False
            wanted_s = seconds_to_wait(answer.retry_after)
            if answer.status not in _TRANSIENT and answer.status < _SERVER_ERROR:
                raise failure
        return None, failure, math.inf if lasts else wanted_s

    def _answer(self, address: Address, path: str, deadline: float) -> Answer:
        try:
            return get(address, path, self._all_headers(address), self._tls(address), deadline, self._max_answer_bytes)
        except TooLargeError:
            limit = f"max_answer_bytes={self._max_answer_bytes}"
            raise RegistryError(f"{address}: {path}: the answer is larger than {limit} allows") from None

    def _all_headers(self, address: Address) -> dict[str, str]:
        authorization = self._authorize() or (None if address.user is None else basic(*address.user))
        return self._headers if authorization is None else {**self._headers, "Authorization": authorization}

    def _tls(self, address: Address) -> ssl.SSLContext | None:
        return self._context() if address.is_https and self._context is not None else None


def _remade(urls: list[str], arguments: dict[str, Any], query: str) -> SchemaRegistry:
    registry = SchemaRegistry(urls, **arguments)
    return registry.serialized() if query else registry


def _referencing(schema: Mapping[str, Any]) -> Referencing:
    references = [Reference(each["name"], each["subject"], each["version"]) for each in schema["references"]]
    return Referencing(schema["schema"], references)


def _id_of(schema: Mapping[str, Any], path: str) -> int | None:
    """Return the id of a schema, from the request or from the answer."""
    asked = re.fullmatch(r"schemas/ids/(\d+)(\?.*)?", path)
    return int(asked[1]) if asked else schema["id"]
