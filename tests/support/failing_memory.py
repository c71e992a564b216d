"""Calls that run out of memory, in a process of their own.

CPython's allocator for tests fails in all threads of a process. One of them is pytest-xdist's, which receives what to
run next: without memory it loses that, and the process ends, or waits forever. A forked process has no other thread.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.forking import in_forked_process

try:
    import _testcapi
except ImportError:
    _testcapi = None


def in_process_that_may_fail(action: Callable[[], object]) -> None:
    """Call ``action``, which may use :func:`runs_out`, in a forked process. Fails if it raises there."""
    if _testcapi is None:
        pytest.skip("this Python has no allocator that fails")
    in_forked_process(action)


def runs_out(call: Callable[[], object], after: int, until: int = 0) -> bool:
    """Whether ``call`` raises MemoryError if allocations fail from number ``after`` on.

    Those from number ``until`` on succeed again; with 0, none does.
    """
    _testcapi.set_nomemory(after, until)
    try:
        call()
    except MemoryError:
        return True
    finally:
        _testcapi.remove_mem_hooks()
    return False


def fails_at_each_allocation(call: Callable[[], object], most: int, is_for_good: bool) -> None:
    """Let ``call`` run out of memory at its first allocation, at its second, and so on, ``most`` times.

    It has to raise MemoryError, more than 100 times, and to need fewer allocations than ``most``. ``is_for_good`` says
    whether all later allocations fail as well.
    """

    def fail() -> None:
        call()
        failed = sum(runs_out(call, number, 0 if is_for_good else number + 1) for number in range(1, most))
        assert 100 < failed < most

    in_process_that_may_fail(fail)
