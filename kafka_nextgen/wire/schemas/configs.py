"""Settings of topics, brokers and groups."""

from __future__ import annotations

from collections.abc import Sequence

from kafka_nextgen.wire.schema import Message, Structure, field


class DescribeConfigsRequest(Message, api_key=32, versions="1-4", flexible="4+"):
    """Describe the settings of topics, brokers or groups."""

    class DescribeConfigsResource(Structure):
        resource_type: int = field("int8", "0+")
        resource_name: str = field("string", "0+")
        configuration_keys: Sequence[str] | None = field(["string"], "0+", nullable="0+")

    resources: Sequence[DescribeConfigsResource] = field([DescribeConfigsResource], "0+")
    include_synonyms: bool = field("bool", "1+")
    include_documentation: bool = field("bool", "3+")


class DescribeConfigsResponse(Message, api_key=32, versions="1-4", flexible="4+"):
    """The settings, with their sources."""

    class DescribeConfigsResult(Structure):
        class DescribeConfigsResourceResult(Structure):
            class DescribeConfigsSynonym(Structure):
                name: str = field("string", "1+")
                value: str | None = field("string", "1+", nullable="0+")
                source: int = field("int8", "1+")

            name: str = field("string", "0+")
            value: str | None = field("string", "0+", nullable="0+")
            read_only: bool = field("bool", "0+")
            config_source: int = field("int8", "1+", default=-1)
            is_sensitive: bool = field("bool", "0+")
            synonyms: Sequence[DescribeConfigsSynonym] = field([DescribeConfigsSynonym], "1+")
            config_type: int = field("int8", "3+")
            documentation: str | None = field("string", "3+", nullable="0+")

        error_code: int = field("int16", "0+")
        error_message: str | None = field("string", "0+", nullable="0+")
        resource_type: int = field("int8", "0+")
        resource_name: str = field("string", "0+")
        configs: Sequence[DescribeConfigsResourceResult] = field([DescribeConfigsResourceResult], "0+")

    throttle_time_ms: int = field("int32", "0+")
    results: Sequence[DescribeConfigsResult] = field([DescribeConfigsResult], "0+")


class AlterConfigsResourceResponse(Structure):
    """The result for one resource, of AlterConfigs and IncrementalAlterConfigs."""

    error_code: int = field("int16", "0+")
    error_message: str | None = field("string", "0+", nullable="0+")
    resource_type: int = field("int8", "0+")
    resource_name: str = field("string", "0+")


class AlterConfigsRequest(Message, api_key=33, versions="0-2", flexible="2+"):
    """Replace all settings of topics, brokers or groups."""

    class AlterConfigsResource(Structure):
        class AlterableConfig(Structure):
            name: str = field("string", "0+")
            value: str | None = field("string", "0+", nullable="0+")

        resource_type: int = field("int8", "0+")
        resource_name: str = field("string", "0+")
        configs: Sequence[AlterableConfig] = field([AlterableConfig], "0+")

    resources: Sequence[AlterConfigsResource] = field([AlterConfigsResource], "0+")
    validate_only: bool = field("bool", "0+")


class AlterConfigsResponse(Message, api_key=33, versions="0-2", flexible="2+"):
    """Whether the settings of each were replaced."""

    throttle_time_ms: int = field("int32", "0+")
    responses: Sequence[AlterConfigsResourceResponse] = field([AlterConfigsResourceResponse], "0+")


class IncrementalAlterConfigsRequest(Message, api_key=44, versions="0-1", flexible="1+"):
    """Change some settings of topics, brokers or groups (KIP-339)."""

    class AlterConfigsResource(Structure):
        class AlterableConfig(Structure):
            name: str = field("string", "0+")
            config_operation: int = field("int8", "0+")
            value: str | None = field("string", "0+", nullable="0+")

        resource_type: int = field("int8", "0+")
        resource_name: str = field("string", "0+")
        configs: Sequence[AlterableConfig] = field([AlterableConfig], "0+")

    resources: Sequence[AlterConfigsResource] = field([AlterConfigsResource], "0+")
    validate_only: bool = field("bool", "0+")


class IncrementalAlterConfigsResponse(Message, api_key=44, versions="0-1", flexible="1+"):
    """Whether the settings of each were changed."""

    throttle_time_ms: int = field("int32", "0+")
    responses: Sequence[AlterConfigsResourceResponse] = field([AlterConfigsResourceResponse], "0+")


class ListConfigResourcesRequest(Message, api_key=74, versions="0-1", flexible="0+"):
    """List the resources that have settings (KIP-1142)."""

    resource_types: Sequence[int] = field(["int8"], "1+")


class ListConfigResourcesResponse(Message, api_key=74, versions="0-1", flexible="0+"):
    """The resources by type."""

    class ConfigResource(Structure):
        resource_name: str = field("string", "0+")
        resource_type: int = field("int8", "1+", default=16)

    throttle_time_ms: int = field("int32", "0+")
    error_code: int = field("int16", "0+")
    config_resources: Sequence[ConfigResource] = field([ConfigResource], "0+")


class UpdateFeaturesRequest(Message, api_key=57, versions="0-2", flexible="0+"):
    """Change the levels of features of the cluster (KIP-584)."""

    class FeatureUpdateKey(Structure):
        feature: str = field("string", "0+")
        max_version_level: int = field("int16", "0+")
        allow_downgrade: bool = field("bool", "0")
        upgrade_type: int = field("int8", "1+", default=1)

    timeout_ms: int = field("int32", "0+", default=60_000)
    feature_updates: Sequence[FeatureUpdateKey] = field([FeatureUpdateKey], "0+")
    validate_only: bool = field("bool", "1+")


class UpdateFeaturesResponse(Message, api_key=57, versions="0-2", flexible="0+"):
    """The outcome for all features; before version 2 also a result for each."""

    class UpdatableFeatureResult(Structure):
        feature: str = field("string", "0+")
        error_code: int = field("int16", "0+")
        error_message: str | None = field("string", "0+", nullable="0+", default=None)

    throttle_time_ms: int = field("int32", "0+")
    error_code: int = field("int16", "0+")
    error_message: str | None = field("string", "0+", nullable="0+", default=None)
    results: Sequence[UpdatableFeatureResult] = field([UpdatableFeatureResult], "0-1")
