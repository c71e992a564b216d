/* Bell: what the application's thread waits for, rung by threads that need not have the GIL.
 *
 * It counts its rings, and nobody clears it (engine/application/signals.py, whose ThreadSignal is its twin). Threads
 * sleep on the count itself, which is a futex of Linux. One of them may see to relays meanwhile (attending.h): that one
 * waits at sockets, and a ring is one more of them, an eventfd.
 */
#ifndef KAFKA_NEXTGEN_BELL_H
#define KAFKA_NEXTGEN_BELL_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#ifdef __linux__

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"

#define MOST_OFFERED 16 /* relays, one for each broker */

struct Relay;

typedef struct {
    PyObject_HEAD
    uint32_t rings;
    uint32_t waiting;       /* how many threads do */
    uint32_t is_at_sockets; /* whether one of them waits there */
    int eventfd;            /* -1 until it is needed */
    pid_t pid;              /* of the process it belongs to */
    /* attending.h; with the lock */
    pthread_mutex_t lock;
    struct Relay *offered[MOST_OFFERED];
    int offered_count;
    long long attended[MOST_OFFERED]; /* their numbers, 0 for one that is no more */
    int attended_count;               /* 0 if nobody attends any */
} Bell;

/* Whether it is this process's: one that was forked off has its memory, but whatever it has to do with descriptors is for
 * the other one.
 */
static int is_ours(const Bell *bell) { return bell->pid == getpid(); }

static void wake_from_sockets(const Bell *bell) {
    if (__atomic_load_n(&bell->is_at_sockets, __ATOMIC_SEQ_CST) && is_ours(bell))
        eventfd_write(bell->eventfd, 1);
}

static void ring_bell(Bell *bell) {
    __atomic_add_fetch(&bell->rings, 1, __ATOMIC_SEQ_CST); /* first: who begins to wait now sees it, or is seen below */
    if (__atomic_load_n(&bell->waiting, __ATOMIC_SEQ_CST) > 0)
        syscall(SYS_futex, &bell->rings, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT_MAX, NULL, NULL, 0);
    wake_from_sockets(bell);
}

static int has_rung(const Bell *bell, uint32_t rings) {
    return __atomic_load_n(&bell->rings, __ATOMIC_SEQ_CST) != rings;
}

/* Sleep as long as there are so many rings; 0, or why it did not sleep to the end. */
static int sleep_at(Bell *bell, uint32_t rings, const struct timespec *until) {
    int operation = FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG; /* until a moment of the monotonic clock */
    long status = syscall(SYS_futex, &bell->rings, operation, rings, until, NULL, FUTEX_BITSET_MATCH_ANY);
    return status == 0 ? 0 : errno;
}

#endif
#endif
