"""What guards a broker: who may log in, and which rules hold. Both may change while it runs."""

from __future__ import annotations

from attrs import field, frozen

from kafka_nextgen.broker.security.access import Authorizer
from kafka_nextgen.broker.security.users import Users
from kafka_nextgen.broker.storage import Catalogue

__all__ = ["Guards"]


@frozen
class Guards:
    """Everybody's password, and everybody's rights; without an ``authorizer`` everybody may do everything."""

    users: Users = field(factory=Users)
    authorizer: Authorizer | None = None

    def recover(self, catalogue: Catalogue) -> None:
        """Go on with what a catalogue kept of changes while a broker ran, and have it keep those to come."""
        self.users.recover(catalogue)
        if self.authorizer is not None:
            self.authorizer.recover(catalogue)
