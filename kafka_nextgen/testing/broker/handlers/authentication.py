"""SaslHandshake and SaslAuthenticate, and the SCRAM credentials of users: who can log in.

Clients authenticate (KIP-43, KIP-152) for a limited time (KIP-368). A client that sets a SCRAM credential (KIP-554) has
salted and hashed the password: it never goes over the wire. All changes to one user are made, or none.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.testing.broker.refusal import Refusal, error_fields
from kafka_nextgen.testing.broker.security.acls import Right
from kafka_nextgen.testing.broker.security.users import ITERATIONS, SCRAM_NUMBERS, ScramCredential, Users
from kafka_nextgen.wire import messages as m

__all__ = ["alter_user_scram_credentials", "describe_user_scram_credentials", "sasl_authenticate", "sasl_handshake"]

_Upsertion = m.AlterUserScramCredentialsRequest.ScramCredentialUpsertion
_Deletion = m.AlterUserScramCredentialsRequest.ScramCredentialDeletion
_Altered = m.AlterUserScramCredentialsResponse.AlterUserScramCredentialsResult
_Described = m.DescribeUserScramCredentialsResponse.DescribeUserScramCredentialsResult
_Credential = _Described.CredentialInfo

_MAX_ITERATIONS = 16_384


async def sasl_handshake(request: m.SaslHandshakeRequest, context: Context) -> m.SaslHandshakeResponse:
    """Choose the mechanism. It is an error on listeners without SASL and after authentication."""
    sasl = context.peer.sasl
    if sasl is None or not sasl.takes_handshake():
        if sasl is not None:
            sasl.refuse_handshake()
        return m.SaslHandshakeResponse(error_code=ErrorCode.ILLEGAL_SASL_STATE, mechanisms=[])
    answer = sasl.handshake(request.mechanism, context.version)
    return m.SaslHandshakeResponse(error_code=answer.error, mechanisms=list(sasl.settings.mechanisms))


async def sasl_authenticate(request: m.SaslAuthenticateRequest, context: Context) -> m.SaslAuthenticateResponse:
    """Advance the exchange by one step, in a thread: hashing a password takes milliseconds."""
    sasl = context.peer.sasl
    if sasl is None or not sasl.takes_tokens:
        return m.SaslAuthenticateResponse(
            error_code=ErrorCode.ILLEGAL_SASL_STATE,
            error_message="SaslAuthenticate request received after successful authentication",
            auth_bytes=b"",
        )
    answer = await asyncio.to_thread(sasl.authenticate, bytes(request.auth_bytes), context.cluster.now())
    return m.SaslAuthenticateResponse(
        error_code=answer.error,
        error_message=answer.message,
        auth_bytes=answer.token,
        session_lifetime_ms=answer.session_ms,
    )


async def alter_user_scram_credentials(
    request: m.AlterUserScramCredentialsRequest, context: Context
) -> m.AlterUserScramCredentialsResponse:
    """Change the credentials of each user."""
    deleted, upserted = ([change.name for change in kind] for kind in (request.deletions, request.upsertions))
    names = dict.fromkeys([*deleted, *upserted])
    if not context.may(Right.ALTER_CLUSTER):
        refusal = Refusal(Right.ALTER_CLUSTER.error, "Cluster authorization failed.")
        return m.AlterUserScramCredentialsResponse(results=[_altered(name, refusal) for name in names])
    users = context.cluster.security.users
    return m.AlterUserScramCredentialsResponse(results=[_altered(name, _alter(name, request, users)) for name in names])


async def describe_user_scram_credentials(
    request: m.DescribeUserScramCredentialsRequest, context: Context
) -> m.DescribeUserScramCredentialsResponse:
    """Describe the requested users, or all."""
    if not context.may(Right.DESCRIBE_CLUSTER):
        return m.DescribeUserScramCredentialsResponse(
            error_code=Right.DESCRIBE_CLUSTER.error, error_message=None, results=[]
        )
    known = context.cluster.security.users.scram_users()
    asked = Counter(user.name for user in request.users) if request.users else Counter(known.keys())
    return m.DescribeUserScramCredentialsResponse(
        error_code=ErrorCode.NONE,
        error_message="",
        results=[_describe(name, count, known) for name, count in asked.items()],
    )


def _alter(name: str, request: m.AlterUserScramCredentialsRequest, users: Users) -> Refusal | None:
    deletions = [change for change in request.deletions if change.name == name]
    upsertions = [change for change in request.upsertions if change.name == name]
    refusal = _invalid(name, deletions, upsertions, users)
    if refusal is not None:
        return refusal
    for deletion in deletions:
        users.delete_scram(name, SCRAM_NUMBERS[deletion.mechanism])
    for upsertion in upsertions:
        mechanism = SCRAM_NUMBERS[upsertion.mechanism]
        salted, salt = bytes(upsertion.salted_password), bytes(upsertion.salt)
        users.set_scram(name, mechanism, ScramCredential.of_salted(mechanism, salted, salt, upsertion.iterations))
    return None


def _invalid(
    name: str,
    deletions: Sequence[_Deletion],
    upsertions: Sequence[_Upsertion],
    users: Users,
) -> Refusal | None:
    mechanisms = [*(change.mechanism for change in deletions), *(change.mechanism for change in upsertions)]
    if not name:
        return Refusal(ErrorCode.UNACCEPTABLE_CREDENTIAL, "Username must not be empty")
    if any(mechanism not in SCRAM_NUMBERS for mechanism in mechanisms):
        return Refusal(ErrorCode.UNSUPPORTED_SASL_MECHANISM, "Unknown SCRAM mechanism")
    if max(Counter(mechanisms).values()) > 1:
        return Refusal(ErrorCode.DUPLICATE_RESOURCE, "A user credential cannot be altered twice in the same request")
    for change in upsertions:
        if change.iterations < ITERATIONS:
            return Refusal(ErrorCode.UNACCEPTABLE_CREDENTIAL, "Too few iterations")
        if change.iterations > _MAX_ITERATIONS:
            return Refusal(ErrorCode.UNACCEPTABLE_CREDENTIAL, "Too many iterations")
    if any(users.scram_credential(name, SCRAM_NUMBERS[change.mechanism]) is None for change in deletions):
        message = "Attempt to delete a user credential that does not exist"
        return Refusal(ErrorCode.RESOURCE_NOT_FOUND, message)
    return None


def _altered(name: str, refusal: Refusal | None) -> _Altered:
    return _Altered(user=name, **error_fields(refusal))


def _describe(name: str, count: int, known: Mapping[str, Mapping[str, int]]) -> _Described:
    if count > 1:
        message = f"Cannot describe SCRAM credentials for the same user twice in a single request: {name}"
        return _Described(
            user=name, **error_fields(Refusal(ErrorCode.DUPLICATE_RESOURCE, message)), credential_infos=[]
        )
    if name not in known:
        message = f"Attempt to describe a user credential that does not exist: {name}"
        return _Described(
            user=name, **error_fields(Refusal(ErrorCode.RESOURCE_NOT_FOUND, message)), credential_infos=[]
        )
    return _Described(
        user=name,
        **error_fields(None),
        credential_infos=[
            _Credential(mechanism=number, iterations=known[name][mechanism])
            for number, mechanism in SCRAM_NUMBERS.items()
            if mechanism in known[name]
        ],
    )
