"""The client of one connection: its listener, its identity, and which requests it may send.

Once authenticated, the client may send any request. Before that, it may send ApiVersions once and SASL requests
(``security.sasl``). Only the API key is read to decide this. As in Kafka, a request that is not admitted ends the
connection, and so does any request but SaslHandshake after the session has expired (KIP-368).
"""

from __future__ import annotations

from attrs import field

from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.requests.api_versions import SOFTWARE_NAME
from kafka_nextgen.testing.broker.refusal import CloseConnectionError
from kafka_nextgen.testing.broker.security.listeners import Listener
from kafka_nextgen.testing.broker.security.principals import ANONYMOUS, Principal
from kafka_nextgen.testing.broker.security.sasl import SaslServer
from kafka_nextgen.wire.apis import (
    API_VERSIONS,
    APIS,
    CONSUMER_GROUP_HEARTBEAT,
    HEARTBEAT,
    JOIN_GROUP,
    SASL_AUTHENTICATE,
    SASL_HANDSHAKE,
    Api,
)

__all__ = ["Peer"]

_OF_MEMBERS = frozenset({CONSUMER_GROUP_HEARTBEAT, HEARTBEAT, JOIN_GROUP})


@define(eq=False)
class Peer:
    """What is known about the client of a connection.

    ``host`` and ``port`` are its address, ``certified`` the principal of its certificate. ``sasl`` is None if clients
    need not authenticate. ``software_name`` is the client's name from its ApiVersions request (KIP-511); None before
    that. ``client_id`` comes from its latest request. ``is_member`` becomes true with the first request by which a
    member of a group shows that it is alive.
    """

    listener: Listener
    host: str
    certified: Principal = field(default=ANONYMOUS)
    sasl: SaslServer | None = None
    software_name: str | None = None
    port: int = 0
    client_id: str = ""
    is_member: bool = False

    @property
    def principal(self) -> Principal:
        """The principal for which requests are authorized."""
        if self.sasl is None or self.sasl.user is None:
            return self.certified
        return Principal.user(self.sasl.user)

    @property
    def knows_extensions(self) -> bool:
        """Whether the client can use the extensions that Apache Kafka never shipped."""
        return self.software_name == SOFTWARE_NAME

    @property
    def is_authenticated(self) -> bool:
        """Whether the client may send any request."""
        return self.sasl is None or self.sasl.is_done

    @property
    def has_failed(self) -> bool:
        """Whether authentication failed, so that the connection must be closed."""
        return self.sasl is not None and self.sasl.has_failed

    def __str__(self) -> str:
        name = f" (client.id={self.client_id})" if self.client_id else ""
        return f"{self.software_name or 'an unknown client'}{name} at {self.host}:{self.port}"

    def note(self, api: Api, client_id: str) -> None:
        """Note a request of this API."""
        self.client_id = client_id
        self.is_member = self.is_member or api in _OF_MEMBERS

    def check_admitted(self, api_key: int, now: float) -> None:
        """Raise ``CloseConnectionError`` if the client may not send a request of this API now (seconds)."""
        if self.sasl is None or _is_admitted(self.sasl, api_key, now):
            return
        api = APIS.get(api_key)
        name = f"API key {api_key}" if api is None else api.name
        why = "after its session expired" if self.sasl.is_done else "before authenticating"
        raise CloseConnectionError(f"the client sent {name} on listener {self.listener.name} {why}")


def _is_admitted(sasl: SaslServer, api_key: int, now: float) -> bool:
    if api_key == SASL_HANDSHAKE.key and sasl.takes_handshake():
        return True
    if sasl.is_done:
        return not sasl.is_over(now)
    if api_key in (SASL_AUTHENTICATE.key, SASL_HANDSHAKE.key):
        return sasl.takes_tokens
    return api_key == API_VERSIONS.key and sasl.takes_versions()
