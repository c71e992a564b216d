"""``GroupAdmin``: describe and change groups with blocking calls."""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import CancelledError
from types import TracebackType
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from kafka_nextgen.admin.async_group_admin import AsyncGroupAdmin
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.errors import MisuseError
from kafka_nextgen.transport.background import log_failure
from kafka_nextgen.transport.futures import sleep_until_ended
from kafka_nextgen.transport.io_thread import IoThread

if TYPE_CHECKING:
    from typing_extensions import Unpack  # type checkers know it, even if not installed

    from kafka_nextgen.config.settings import ConsumerSettings

__all__ = ["GroupAdmin"]

P = ParamSpec("P")
T = TypeVar("T")

_CLOSING_S = 5.0


def _blocking(
    method: Callable[Concatenate[AsyncGroupAdmin, P], Coroutine[object, object, T]],
) -> Callable[Concatenate[GroupAdmin, P], T]:
    """Return the method of ``GroupAdmin`` that waits for this one."""

    @functools.wraps(method)
    def call(self: GroupAdmin, /, *args: P.args, **kwargs: P.kwargs) -> T:
        future = self._thread.submit(method(self._admin, *args, **kwargs))
        try:
            sleep_until_ended(future, math.inf)  # the call has its own deadline
            return future.result()
        except CancelledError:
            raise MisuseError("this GroupAdmin was closed during the call") from None
        except KeyboardInterrupt:
            future.cancel()
            raise

    return call


class GroupAdmin:
    """The groups of one cluster, of either protocol: ``AsyncGroupAdmin`` with calls that block.

    Takes a consumer's configuration, and uses its keys for brokers and connections. Several threads can call it at
    the same time.

        with GroupAdmin(bootstrap_servers="localhost:9092") as admin:
            for group in admin.list(states=["Empty"]).groups:
                ...
    """

    def __init__(
        self, config: Mapping[str, object] | ConsumerConfig | None = None, **settings: Unpack[ConsumerSettings]
    ) -> None:
        parsed = config if isinstance(config, ConsumerConfig) else ConsumerConfig.parse(config, **settings)
        self._thread = IoThread(f"kafka_nextgen admin {parsed.client_id}", log_failure, "GroupAdmin")
        self._admin = self._thread.begin_with(_create(parsed))

    def __enter__(self) -> GroupAdmin:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    cluster_id = _blocking(AsyncGroupAdmin.cluster_id)
    list = _blocking(AsyncGroupAdmin.list)
    describe = _blocking(AsyncGroupAdmin.describe)
    members = _blocking(AsyncGroupAdmin.members)
    history = _blocking(AsyncGroupAdmin.history)
    assignment_spec = _blocking(AsyncGroupAdmin.assignment_spec)
    offsets = _blocking(AsyncGroupAdmin.offsets)
    validate_regex = _blocking(AsyncGroupAdmin.validate_regex)
    plan_offsets = _blocking(AsyncGroupAdmin.plan_offsets)
    alter_offsets = _blocking(AsyncGroupAdmin.alter_offsets)
    delete_offsets = _blocking(AsyncGroupAdmin.delete_offsets)
    delete = _blocking(AsyncGroupAdmin.delete)
    add_members = _blocking(AsyncGroupAdmin.add_members)
    announce_leaving = _blocking(AsyncGroupAdmin.announce_leaving)
    remove_members = _blocking(AsyncGroupAdmin.remove_members)
    describe_config = _blocking(AsyncGroupAdmin.describe_config)
    alter_config = _blocking(AsyncGroupAdmin.alter_config)

    def close(self) -> None:
        """Close all connections; calls in progress end with MisuseError. May be called more than once."""
        if self._thread.is_foreign:
            return
        try:
            self._thread.submit(self._admin.close()).result(_CLOSING_S)
        except MisuseError:  # closed already
            return
        finally:  # even if closing takes too long, or a signal handler raises
            self._thread.stop(_CLOSING_S)

    def __del__(self) -> None:
        if not hasattr(self, "_admin") or self._thread.has_ended or self._thread.is_foreign:
            return
        self._thread.end_after(self._admin.close)
        warnings.warn("a GroupAdmin was dropped without close()", ResourceWarning, stacklevel=2)


async def _create(config: ConsumerConfig) -> AsyncGroupAdmin:
    return await AsyncGroupAdmin(config).__aenter__()
