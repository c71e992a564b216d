"""Access control rules (ACLs), SCRAM credentials and client quotas."""

from __future__ import annotations

from collections.abc import Sequence

from kafka_nextgen.wire.schema import Message, Structure, field


class AclFilter(Structure):
    """A filter for access control rules."""

    resource_type_filter: int = field("int8", "0+")
    resource_name_filter: str | None = field("string", "0+", nullable="0+")
    pattern_type_filter: int = field("int8", "1+", default=3)
    principal_filter: str | None = field("string", "0+", nullable="0+")
    host_filter: str | None = field("string", "0+", nullable="0+")
    operation: int = field("int8", "0+")
    permission_type: int = field("int8", "0+")


class DescribeAclsRequest(AclFilter, Message, api_key=29, versions="1-3", flexible="2+"):
    """Find the access control rules that match a filter."""


class DescribeAclsResponse(Message, api_key=29, versions="1-3", flexible="2+"):
    """The rules, by resource."""

    class DescribeAclsResource(Structure):
        class AclDescription(Structure):
            principal: str = field("string", "0+")
            host: str = field("string", "0+")
            operation: int = field("int8", "0+")
            permission_type: int = field("int8", "0+")

        resource_type: int = field("int8", "0+")
        resource_name: str = field("string", "0+")
        pattern_type: int = field("int8", "1+", default=3)
        acls: Sequence[AclDescription] = field([AclDescription], "0+")

    throttle_time_ms: int = field("int32", "0+")
    error_code: int = field("int16", "0+")
    error_message: str | None = field("string", "0+", nullable="0+")
    resources: Sequence[DescribeAclsResource] = field([DescribeAclsResource], "0+")


class CreateAclsRequest(Message, api_key=30, versions="1-3", flexible="2+"):
    """Add access control rules."""

    class AclCreation(Structure):
        resource_type: int = field("int8", "0+")
        resource_name: str = field("string", "0+")
        resource_pattern_type: int = field("int8", "1+", default=3)
        principal: str = field("string", "0+")
        host: str = field("string", "0+")
        operation: int = field("int8", "0+")
        permission_type: int = field("int8", "0+")

    creations: Sequence[AclCreation] = field([AclCreation], "0+")


class CreateAclsResponse(Message, api_key=30, versions="1-3", flexible="2+"):
    """Whether each of them was added."""

    class AclCreationResult(Structure):
        error_code: int = field("int16", "0+")
        error_message: str | None = field("string", "0+", nullable="0+")

    throttle_time_ms: int = field("int32", "0+")
    results: Sequence[AclCreationResult] = field([AclCreationResult], "0+")


class DeleteAclsRequest(Message, api_key=31, versions="1-3", flexible="2+"):
    """Delete the access control rules that match filters."""

    filters: Sequence[AclFilter] = field([AclFilter], "0+")


class DeleteAclsResponse(Message, api_key=31, versions="1-3", flexible="2+"):
    """The rules that were deleted, by filter."""

    class DeleteAclsFilterResult(Structure):
        class DeleteAclsMatchingAcl(Structure):
            error_code: int = field("int16", "0+")
            error_message: str | None = field("string", "0+", nullable="0+")
            resource_type: int = field("int8", "0+")
            resource_name: str = field("string", "0+")
            pattern_type: int = field("int8", "1+", default=3)
            principal: str = field("string", "0+")
            host: str = field("string", "0+")
            operation: int = field("int8", "0+")
            permission_type: int = field("int8", "0+")

        error_code: int = field("int16", "0+")
        error_message: str | None = field("string", "0+", nullable="0+")
        matching_acls: Sequence[DeleteAclsMatchingAcl] = field([DeleteAclsMatchingAcl], "0+")

    throttle_time_ms: int = field("int32", "0+")
    filter_results: Sequence[DeleteAclsFilterResult] = field([DeleteAclsFilterResult], "0+")


class DescribeUserScramCredentialsRequest(Message, api_key=50, versions="0", flexible="0+"):
    """Describe the SCRAM credentials of users (KIP-554)."""

    class UserName(Structure):
        name: str = field("string", "0+")

    users: Sequence[UserName] | None = field([UserName], "0+", nullable="0+")


class DescribeUserScramCredentialsResponse(Message, api_key=50, versions="0", flexible="0+"):
    """The mechanisms and iterations of each user."""

    class DescribeUserScramCredentialsResult(Structure):
        class CredentialInfo(Structure):
            mechanism: int = field("int8", "0+")
            iterations: int = field("int32", "0+")

        user: str = field("string", "0+")
        error_code: int = field("int16", "0+")
        error_message: str | None = field("string", "0+", nullable="0+")
        credential_infos: Sequence[CredentialInfo] = field([CredentialInfo], "0+")

    throttle_time_ms: int = field("int32", "0+")
    error_code: int = field("int16", "0+")
    error_message: str | None = field("string", "0+", nullable="0+")
    results: Sequence[DescribeUserScramCredentialsResult] = field([DescribeUserScramCredentialsResult], "0+")


class AlterUserScramCredentialsRequest(Message, api_key=51, versions="0", flexible="0+"):
    """Set or delete SCRAM credentials (KIP-554)."""

    class ScramCredentialDeletion(Structure):
        name: str = field("string", "0+")
        mechanism: int = field("int8", "0+")

    class ScramCredentialUpsertion(Structure):
        name: str = field("string", "0+")
        mechanism: int = field("int8", "0+")
        iterations: int = field("int32", "0+")
        salt: bytes = field("bytes", "0+")
        salted_password: bytes = field("bytes", "0+")

    deletions: Sequence[ScramCredentialDeletion] = field([ScramCredentialDeletion], "0+")
    upsertions: Sequence[ScramCredentialUpsertion] = field([ScramCredentialUpsertion], "0+")


class AlterUserScramCredentialsResponse(Message, api_key=51, versions="0", flexible="0+"):
    """Whether each user's credentials were changed."""

    class AlterUserScramCredentialsResult(Structure):
        user: str = field("string", "0+")
        error_code: int = field("int16", "0+")
        error_message: str | None = field("string", "0+", nullable="0+")

    throttle_time_ms: int = field("int32", "0+")
    results: Sequence[AlterUserScramCredentialsResult] = field([AlterUserScramCredentialsResult], "0+")


class EntityData(Structure):
    """One component of a quota's entity, in requests and responses."""

    entity_type: str = field("string", "0+")
    entity_name: str | None = field("string", "0+", nullable="0+")


class DescribeClientQuotasRequest(Message, api_key=48, versions="0-1", flexible="1+"):
    """Describe the quotas of clients (KIP-546)."""

    class ComponentData(Structure):
        entity_type: str = field("string", "0+")
        match_type: int = field("int8", "0+")
        match: str | None = field("string", "0+", nullable="0+")

    components: Sequence[ComponentData] = field([ComponentData], "0+")
    strict: bool = field("bool", "0+")


class DescribeClientQuotasResponse(Message, api_key=48, versions="0-1", flexible="1+"):
    """The quotas, by entity."""

    class EntryData(Structure):
        class ValueData(Structure):
            key: str = field("string", "0+")
            value: float = field("float64", "0+")

        entity: Sequence[EntityData] = field([EntityData], "0+")
        values: Sequence[ValueData] = field([ValueData], "0+")

    throttle_time_ms: int = field("int32", "0+")
    error_code: int = field("int16", "0+")
    error_message: str | None = field("string", "0+", nullable="0+")
    entries: Sequence[EntryData] | None = field([EntryData], "0+", nullable="0+")


class AlterClientQuotasRequest(Message, api_key=49, versions="0-1", flexible="1+"):
    """Set or remove quotas of clients (KIP-546)."""

    class EntryData(Structure):
        class OpData(Structure):
            key: str = field("string", "0+")
            value: float = field("float64", "0+")
            remove: bool = field("bool", "0+")

        entity: Sequence[EntityData] = field([EntityData], "0+")
        ops: Sequence[OpData] = field([OpData], "0+")

    entries: Sequence[EntryData] = field([EntryData], "0+")
    validate_only: bool = field("bool", "0+")


class AlterClientQuotasResponse(Message, api_key=49, versions="0-1", flexible="1+"):
    """Whether each entity's quotas were changed."""

    class EntryData(Structure):
        error_code: int = field("int16", "0+")
        error_message: str | None = field("string", "0+", nullable="0+")
        entity: Sequence[EntityData] = field([EntityData], "0+")

    throttle_time_ms: int = field("int32", "0+")
    entries: Sequence[EntryData] = field([EntryData], "0+")
