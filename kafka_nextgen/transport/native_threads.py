"""Checks the requirements of this library's threads: native threads, and an interpreter that is not shutting down."""

from __future__ import annotations

import sys

from kafka_nextgen.errors import MisuseError

__all__ = ["check_native_threads", "threads_are_frozen"]


def threads_are_frozen() -> bool:
    """Whether the interpreter is shutting down: daemon threads no longer run, so nothing should wait for one."""
    return sys.is_finalizing()


def check_native_threads(owner: str) -> None:
    """Raise MisuseError if gevent or eventlet has replaced native threads.

    The event loop of such a thread would block all others, and asyncio allows one loop in each native thread.
    """
    gevent, eventlet = sys.modules.get("gevent.monkey"), sys.modules.get("eventlet.patcher")
    if gevent is not None and gevent.is_module_patched("threading"):
        way = "patch with gevent.monkey.patch_all(thread=False), or "
        raise MisuseError(_refusal(owner, "gevent", way))
    if eventlet is not None and eventlet.is_monkey_patched("thread"):
        raise MisuseError(_refusal(owner, "eventlet", ""))


def _refusal(owner: str, library: str, way: str) -> str:
    return (
        f"{library} has replaced this process's threads with greenlets, and a {owner} needs a native thread for its "
        f"heartbeats; {way}use it in a process that {library} does not patch"
    )
