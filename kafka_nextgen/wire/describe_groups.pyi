from kafka.protocol.api_message import ApiMessage
from kafka.protocol.data_container import DataContainer

__all__ = ["DescribeGroupsResponse"]

class DescribeGroupsResponse(ApiMessage):
    class DescribedGroup(DataContainer):
        class DescribedGroupMember(DataContainer):
            member_id: str
            group_instance_id: str | None
            client_id: str
            client_host: str
            member_metadata: bytes
            member_assignment: bytes
            def __init__(
                self,
                *,
                member_id: str = ...,
                group_instance_id: str | None = ...,
                client_id: str = ...,
                client_host: str = ...,
                member_metadata: bytes = ...,
                member_assignment: bytes = ...,
            ) -> None: ...

        class ExpectedMember(DataContainer):
            instance_id: str
            has_joined: bool
            expected_until: int
            def __init__(
                self, *, instance_id: str = ..., has_joined: bool = ..., expected_until: int = ...
            ) -> None: ...

        error_code: int
        error_message: str | None
        group_id: str
        group_state: str
        protocol_type: str
        protocol_data: str
        members: list[DescribedGroupMember]
        authorized_operations: set[int]
        expected_members: list[ExpectedMember]
        def __init__(
            self,
            *,
            error_code: int = ...,
            error_message: str | None = ...,
            group_id: str = ...,
            group_state: str = ...,
            protocol_type: str = ...,
            protocol_data: str = ...,
            members: list[DescribedGroupMember] = ...,
            authorized_operations: set[int] = ...,
            expected_members: list[ExpectedMember] = ...,
        ) -> None: ...

    API_VERSION: int
    throttle_time_ms: int
    groups: list[DescribedGroup]
    def __init__(
        self, *, throttle_time_ms: int = ..., groups: list[DescribedGroup] = ..., version: int | None = ...
    ) -> None: ...
