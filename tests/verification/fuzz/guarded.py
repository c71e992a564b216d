"""Memory that ends where nothing may be read: the first byte behind an input ends the process (SIGSEGV).

So code that is not Python's can't look beyond its input without being noticed.
"""

from __future__ import annotations

import ctypes
import mmap

_NO_ACCESS = 0  # PROT_NONE


class Guarded:
    """Room for one input at a time, of up to ``most_bytes``."""

    def __init__(self, most_bytes: int) -> None:
        pages = -(-most_bytes // mmap.PAGESIZE)
        self._end = pages * mmap.PAGESIZE
        self._memory = mmap.mmap(-1, self._end + mmap.PAGESIZE)
        address = ctypes.addressof(ctypes.c_char.from_buffer(self._memory, self._end))
        status = ctypes.CDLL(None, use_errno=True).mprotect(ctypes.c_void_p(address), mmap.PAGESIZE, _NO_ACCESS)
        assert status == 0, ctypes.get_errno()

    def put(self, data: bytes) -> memoryview:
        """Copy an input to the end of the memory; it stays until the next one."""
        start = self._end - len(data)
        self._memory[start : self._end] = data
        return memoryview(self._memory)[start : self._end].toreadonly()
