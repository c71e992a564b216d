/* Bell: a count that threads wait on. Any thread rings it, with or without the GIL.
 *
 * A ring adds one to the count, and nothing resets it: no ring between a look and a wait is lost. ThreadSignal in
 * engine/application/signals.py does the same in Python. The count is a Linux futex.
 */
#ifndef KAFKA_NEXTGEN_BELL_H
#define KAFKA_NEXTGEN_BELL_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#ifdef __linux__

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"

typedef struct {
    PyObject_HEAD
    uint32_t rings;
    uint32_t waiting; /* threads */
} Bell;

static void ring_bell(Bell *bell) {
    __atomic_add_fetch(&bell->rings, 1, __ATOMIC_SEQ_CST); /* first: a thread about to wait sees it, or is seen below */
    if (__atomic_load_n(&bell->waiting, __ATOMIC_SEQ_CST) > 0)
        syscall(SYS_futex, &bell->rings, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT_MAX, NULL, NULL, 0);
}

static int has_rung(const Bell *bell, uint32_t rings) {
    return __atomic_load_n(&bell->rings, __ATOMIC_SEQ_CST) != rings;
}

/* Sleep while the count is `rings`, at most until this time of the monotonic clock. Returns 0, or an error number. */
static int wait_on_futex(Bell *bell, uint32_t rings, const struct timespec *until) {
    int operation = FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG; /* takes a time; FUTEX_WAIT takes a duration */
    long status = syscall(SYS_futex, &bell->rings, operation, rings, until, NULL, FUTEX_BITSET_MATCH_ANY);
    return status == 0 ? 0 : errno;
}

#endif
#endif
