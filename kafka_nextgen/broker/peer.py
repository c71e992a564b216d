"""The other end of one connection: by which listener it came, and who it is."""

from __future__ import annotations

from attrs import define, field

from kafka_nextgen.bridge.api_versions import SOFTWARE_NAME
from kafka_nextgen.broker.security.listeners import Listener
from kafka_nextgen.broker.security.principals import ANONYMOUS, Principal
from kafka_nextgen.broker.security.sasl import SaslServer

__all__ = ["Peer"]


@define(eq=False)
class Peer:
    """What is known of a client for as long as its connection lasts.

    ``host`` is its address, ``certified`` who its certificate says it is. ``sasl`` is None where clients need not
    authenticate. ``software_name`` is what the client called itself when it asked for versions, None before (KIP-511).
    """

    listener: Listener
    host: str
    certified: Principal = field(default=ANONYMOUS)
    sasl: SaslServer | None = None
    software_name: str | None = None

    @property
    def principal(self) -> Principal:
        """Who asks."""
        if self.sasl is None or self.sasl.user is None:
            return self.certified
        return Principal.user(self.sasl.user)

    @property
    def knows_extensions(self) -> bool:
        """Whether its client is one that can use what Apache Kafka never shipped."""
        return self.software_name == SOFTWARE_NAME

    @property
    def is_authenticated(self) -> bool:
        """Whether it may send any request."""
        return self.sasl is None or self.sasl.is_done

    @property
    def has_failed(self) -> bool:
        """Whether it could not authenticate, so that the connection is to be closed."""
        return self.sasl is not None and self.sasl.has_failed
