"""DescribeUserScramCredentials: who may log in by SCRAM, and how often each password was hashed (KIP-554)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.security.rights import DESCRIBE_CLUSTER
from kafka_nextgen.broker.security.users import SCRAM_NUMBERS
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.messages import DescribeUserScramCredentialsRequest, DescribeUserScramCredentialsResponse

__all__ = ["handle"]

_Result = DescribeUserScramCredentialsResponse.DescribeUserScramCredentialsResult
_Credential = _Result.CredentialInfo


async def handle(
    request: DescribeUserScramCredentialsRequest, context: Context
) -> DescribeUserScramCredentialsResponse:
    """Describe the users asked for, or all."""
    if not context.may(DESCRIBE_CLUSTER):
        return DescribeUserScramCredentialsResponse(error_code=DESCRIBE_CLUSTER.error, error_message=None, results=[])
    known = context.cluster.security.users.scram_users()
    asked = Counter(user.name for user in request.users) if request.users else Counter(known.keys())
    return DescribeUserScramCredentialsResponse(
        error_code=ErrorCode.NONE,
        error_message="",
        results=[_describe(name, count, known) for name, count in asked.items()],
    )


def _describe(name: str, count: int, known: Mapping[str, Mapping[str, int]]) -> _Result:
    if count > 1:
        message = f"Cannot describe SCRAM credentials for the same user twice in a single request: {name}"
        return _refused(name, ErrorCode.DUPLICATE_RESOURCE, message)
    if name not in known:
        message = f"Attempt to describe a user credential that does not exist: {name}"
        return _refused(name, ErrorCode.RESOURCE_NOT_FOUND, message)
    return _Result(
        user=name,
        error_code=ErrorCode.NONE,
        error_message=None,
        credential_infos=[
            _Credential(mechanism=number, iterations=known[name][mechanism])
            for number, mechanism in SCRAM_NUMBERS.items()
            if mechanism in known[name]
        ],
    )


def _refused(name: str, error: ErrorCode, message: str) -> _Result:
    return _Result(user=name, error_code=error, error_message=message, credential_infos=[])
