"""The configuration of the transport, in seconds and bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.properties.value_types import RecoveryStrategy, ServerAddress
from kafka_nextgen.transport.retrying import Backoff
from kafka_nextgen.transport.security.settings import Security, security_of

if TYPE_CHECKING:
    from kafka_nextgen.config import ConsumerConfig

__all__ = ["TransportSettings"]

MIB = 1024 * 1024
#: Seconds of retries before the application gets the error that no server can be reached.
UNREACHABLE_TIMEOUT_S = 10.0
_RETRY = Backoff(0.1, 1.0)
_RECONNECT = Backoff(0.05, 1.0)
#: The backoff after a refused login, in multiples of ``reconnect.backoff.max.ms``.
_LONGEST_LOGIN_BACKOFF = 10
_LOGIN = Backoff(1.0, 10.0)
_PLAINTEXT = Security()


@frozen(kw_only=True)
class TransportSettings:
    """How brokers are reached; the defaults are the same as in ``ConsumerConfig``."""

    bootstrap_servers: tuple[ServerAddress, ...]
    client_id: str = "kafka-nextgen"
    request_timeout_s: float = 30.0
    default_timeout_s: float = 60.0
    setup_timeout_s: float = 10.0  # for one address: connect, ApiVersions, login
    max_idle_s: float = 540.0
    metadata_max_age_s: float = 300.0
    unreachable_timeout_s: float = UNREACHABLE_TIMEOUT_S
    rebootstraps: bool = True
    rebootstrap_trigger_s: float = 300.0
    checks_cluster: bool = True
    retry_backoff: Backoff = _RETRY
    reconnect_backoff: Backoff = _RECONNECT
    login_backoff: Backoff = _LOGIN
    receive_max_bytes: int = 100 * MIB
    auto_create_topics: bool = True
    security: Security = _PLAINTEXT
    max_in_flight: int = 5  # per connection; Kafka's default

    @classmethod
    def of(cls, config: ConsumerConfig) -> TransportSettings:
        """The settings in a consumer's configuration; reads the files of keys and certificates.

        Raises ``ConfigError`` if they can't be used.
        """
        longest_reconnect_s = config.reconnect_backoff_max_ms / 1000
        return cls(
            bootstrap_servers=config.bootstrap_servers,
            client_id=config.client_id,
            request_timeout_s=config.request_timeout_ms / 1000,
            default_timeout_s=config.default_api_timeout_ms / 1000,
            setup_timeout_s=config.socket_connection_setup_timeout_ms / 1000,
            max_idle_s=config.connections_max_idle_ms / 1000,
            metadata_max_age_s=config.metadata_max_age_ms / 1000,
            unreachable_timeout_s=config.bootstrap_resolve_timeout_ms / 1000 or UNREACHABLE_TIMEOUT_S,
            rebootstraps=config.metadata_recovery_strategy is RecoveryStrategy.REBOOTSTRAP,
            checks_cluster=config.metadata_cluster_check_enable,
            rebootstrap_trigger_s=config.metadata_recovery_rebootstrap_trigger_ms / 1000,
            retry_backoff=Backoff(config.retry_backoff_ms / 1000, config.retry_backoff_max_ms / 1000),
            reconnect_backoff=Backoff(config.reconnect_backoff_ms / 1000, longest_reconnect_s),
            login_backoff=Backoff(longest_reconnect_s, longest_reconnect_s * _LONGEST_LOGIN_BACKOFF),
            receive_max_bytes=config.receive_message_max_bytes,
            auto_create_topics=config.allow_auto_create_topics,
            security=security_of(config),
        )
