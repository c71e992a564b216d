"""The settings of the assigning machine."""

from __future__ import annotations

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.membership.state_machine import RetrySettings, RuleContext

__all__ = ["AssigningContext", "AssigningSettings"]


@frozen
class AssigningSettings(RetrySettings):
    """The part of the configuration that the assigning machine uses.

    ``assignors`` are the names of the client-side assignors, the preferred one first. ``rebalance_timeout_s`` bounds a
    computation from the request to the installation. A request times out after ``request_timeout_s``. All times are in
    seconds.
    """

    group_id: str
    instance_id: str | None = None
    assignors: tuple[str, ...] = ()
    rebalance_timeout_s: float = 300.0
    request_timeout_s: float = 30.0


AssigningContext = RuleContext[AssigningSettings]
