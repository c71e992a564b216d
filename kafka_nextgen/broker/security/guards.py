"""What guards a broker: who may log in, and which rules hold. Both may change while it runs."""

from __future__ import annotations

from attrs import field, frozen

from kafka_nextgen.broker.security.access import Authorizer
from kafka_nextgen.broker.security.users import Users

__all__ = ["Guards"]


@frozen
class Guards:
    """Everybody's password, and everybody's rights; without an ``authorizer`` everybody may do everything."""

    users: Users = field(factory=Users)
    authorizer: Authorizer | None = None
