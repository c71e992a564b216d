"""Parses a registry's answers: schemas, versions and refusals. All content is checked."""

from __future__ import annotations

import json
import re
from http import HTTPStatus
from typing import Any

from kafka_nextgen.errors import RegistryError
from kafka_nextgen.values.references import MISSING_CODES
from kafka_nextgen.values.registry.http_exchange import Answer
from kafka_nextgen.values.schema_source import NO_REGISTRY

__all__ = ["refusal_of", "schema_in", "seconds_to_wait", "versions_in"]


def seconds_to_wait(retry_after: str | None) -> float:
    """Return how long a registry asks clients to wait, in seconds; 0 if it does not give a number of seconds."""
    return float(retry_after) if retry_after and re.fullmatch(r"\d+", retry_after) else 0.0


def refusal_of(answer: Answer, what: str) -> RegistryError:
    """Return the error for an unsuccessful answer to the request ``what``.

    Only an answer in a registry's format means that the schema does not exist: proxies and other servers also return
    404.
    """
    status = answer.status
    if status == HTTPStatus.NOT_FOUND and not _is_of_registry(answer.body):
        return RegistryError(f"{what}: {NO_REGISTRY}")
    if status == HTTPStatus.NOT_FOUND:
        reason = "the schema does not exist"
    elif status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        reason = f"access was refused with status {status}: check the user or the token"
    elif 300 <= status < 400:
        reason = f"the registry redirects with status {status}, which is not followed: use the URL that it redirects to"
    else:
        reason = f"refused with status {status}"
    return RegistryError(f"{what}: {reason}", status)


def _is_of_registry(body: bytes) -> bool:
    """Whether the body has a code 40401 to 40403: the subject, version or schema does not exist."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return False
    return isinstance(answer, dict) and answer.get("error_code") in MISSING_CODES


def _loaded(body: bytes, what: str) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise RegistryError(f"{what}: the answer is not JSON") from None


def schema_in(body: bytes, what: str) -> dict[str, Any]:
    """Return the schema, its type and its references, with defaults. Raises RegistryError if it is not a schema."""
    answer = _loaded(body, what)
    if not isinstance(answer, dict) or not isinstance(answer.get("schema"), str):
        raise RegistryError(f"{what}: the answer is not a schema")
    kind, references = answer.get("schemaType") or "AVRO", answer.get("references") or []
    if not isinstance(kind, str) or not isinstance(references, list) or not all(map(_is_reference, references)):
        raise RegistryError(f"{what}: the answer has an invalid type or invalid references")
    schema_id = answer["id"] if type(answer.get("id")) is int else None
    return {"schema": answer["schema"], "schemaType": kind, "references": references, "id": schema_id}


def versions_in(body: bytes, what: str) -> list[int]:
    """Return the versions in an answer. Raises RegistryError if there are none."""
    answer = _loaded(body, what)
    if not isinstance(answer, list) or not all(type(each) is int for each in answer):
        raise RegistryError(f"{what}: the answer is not a list of versions")
    return answer


def _is_reference(given: object) -> bool:
    if not isinstance(given, dict):
        return False
    name, subject, version = (given.get(each) for each in ("name", "subject", "version"))
    if not isinstance(name, str) or not isinstance(subject, str) or type(version) is not int:
        return False
    return re.search("[\ud800-\udfff]", name + subject) is None  # lone surrogates can't be sent
