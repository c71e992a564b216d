"""Which requests a connection may send now: all of them once its client has authenticated.

Before that it is ApiVersions, once, and what SASL needs (``security.sasl``). Such a request is told by its API key
before anything else of it is decoded. What is not admitted ends the connection, as in Kafka, and so does any request
but SaslHandshake after the session is over (KIP-368).
"""

from __future__ import annotations

from kafka_nextgen.broker.closing import CloseConnectionError
from kafka_nextgen.broker.peer import Peer
from kafka_nextgen.broker.security.sasl import SaslServer
from kafka_nextgen.wire.apis import API_VERSIONS, APIS, SASL_AUTHENTICATE, SASL_HANDSHAKE

__all__ = ["check_admitted"]


def check_admitted(peer: Peer, api_key: int, now: float) -> None:
    """Raise ``CloseConnectionError`` if the client may not send a request of this API now."""
    sasl = peer.sasl
    if sasl is None or _is_admitted(sasl, api_key, now):
        return
    api = APIS.get(api_key)
    name = f"API key {api_key}" if api is None else api.name
    why = "after its session was over" if sasl.is_done else "before authenticating"
    raise CloseConnectionError(f"the client sent {name} on listener {peer.listener.name} {why}")


def _is_admitted(sasl: SaslServer, api_key: int, now: float) -> bool:
    if api_key == SASL_HANDSHAKE.key and sasl.takes_handshake():
        return True
    if sasl.is_done:
        return not sasl.is_over(now)
    if api_key in (SASL_AUTHENTICATE.key, SASL_HANDSHAKE.key):
        return sasl.takes_tokens
    return api_key == API_VERSIONS.key and sasl.takes_versions()
