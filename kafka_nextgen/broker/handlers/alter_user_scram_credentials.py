"""AlterUserScramCredentials: let users log in by SCRAM with another password, or no more (KIP-554).

The client has salted and hashed the password: it never goes over the wire. All that a request says of one user is done,
or nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from kafka_nextgen.broker.context import Context
from kafka_nextgen.broker.refusal import Refusal
from kafka_nextgen.broker.security.rights import ALTER_CLUSTER
from kafka_nextgen.broker.security.users import ITERATIONS, SCRAM_NUMBERS, ScramCredential, Users
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.messages import AlterUserScramCredentialsRequest, AlterUserScramCredentialsResponse

__all__ = ["handle"]

_Upsertion = AlterUserScramCredentialsRequest.ScramCredentialUpsertion
_Deletion = AlterUserScramCredentialsRequest.ScramCredentialDeletion
_Result = AlterUserScramCredentialsResponse.AlterUserScramCredentialsResult

_MOST_ITERATIONS = 16_384


async def handle(request: AlterUserScramCredentialsRequest, context: Context) -> AlterUserScramCredentialsResponse:
    """Change the credentials of each user."""
    deleted, set_anew = ([change.name for change in kind] for kind in (request.deletions, request.upsertions))
    names = dict.fromkeys([*deleted, *set_anew])
    if not context.may(ALTER_CLUSTER):
        refusal = Refusal(ALTER_CLUSTER.error, "Cluster authorization failed.")
        return AlterUserScramCredentialsResponse(results=[_result(name, refusal) for name in names])
    users = context.cluster.security.users
    return AlterUserScramCredentialsResponse(results=[_result(name, _alter(name, request, users)) for name in names])


def _alter(name: str, request: AlterUserScramCredentialsRequest, users: Users) -> Refusal | None:
    deletions = [change for change in request.deletions if change.name == name]
    upsertions = [change for change in request.upsertions if change.name == name]
    refusal = _refusal(name, deletions, upsertions, users)
    if refusal is not None:
        return refusal
    for deletion in deletions:
        users.delete_scram(name, SCRAM_NUMBERS[deletion.mechanism])
    for upsertion in upsertions:
        mechanism = SCRAM_NUMBERS[upsertion.mechanism]
        salted, salt = bytes(upsertion.salted_password), bytes(upsertion.salt)
        users.set_scram(name, mechanism, ScramCredential.of_salted(mechanism, salted, salt, upsertion.iterations))
    return None


def _refusal(
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
        if change.iterations > _MOST_ITERATIONS:
            return Refusal(ErrorCode.UNACCEPTABLE_CREDENTIAL, "Too many iterations")
    if any(users.scram_credential(name, SCRAM_NUMBERS[change.mechanism]) is None for change in deletions):
        message = "Attempt to delete a user credential that does not exist"
        return Refusal(ErrorCode.RESOURCE_NOT_FOUND, message)
    return None


def _result(name: str, refusal: Refusal | None) -> _Result:
    if refusal is None:
        return _Result(user=name, error_code=ErrorCode.NONE, error_message=None)
    return _Result(user=name, error_code=refusal.code, error_message=refusal.message)
