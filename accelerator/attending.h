/* Attending: whoever waits for a bell sees to the relays that ring it, in place of the thread that serves them.
 *
 * So what comes for it wakes this one thread, and not first another one which has to wake it: where cores are busy, each
 * of the two waits for one. The thread that serves offers its relays while it sleeps, and withdraws them before Python
 * runs on it. As long as somebody attends a relay that is offered, its socket is watched by that thread and not by the
 * epoll of the one that serves. A relay that is over is left to the latter.
 *
 * All of that is done with the bell's lock. So one thread at a time passes on an answer, and nobody does where a relay is
 * not offered.
 */
#ifndef KAFKA_NEXTGEN_ATTENDING_H
#define KAFKA_NEXTGEN_ATTENDING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#ifdef __linux__

#include <poll.h>
#include <sys/epoll.h>

#include "relay.h"

/* Have the thread that serves watch for these events; whether it does. */
static int watch(Relay *relay, uint32_t events) {
    struct epoll_event event = {.events = events, .data.fd = relay->fd};
    if (relay->watched != events && epoll_ctl(relay->epoll_fd, EPOLL_CTL_MOD, relay->fd, &event) == 0)
        relay->watched = events;
    return relay->watched == events;
}

static int is_attended(const Bell *bell, const Relay *relay) {
    for (int i = 0; i < bell->attended_count; i++)
        if (bell->attended[i] == relay->number)
            return 1;
    return 0;
}

/* ---- the thread that serves */

static void offer_relay(Relay *relay, int epoll_fd) {
    Bell *bell = relay->bell;
    pthread_mutex_lock(&bell->lock);
    relay->epoll_fd = epoll_fd;
    relay->watched = EPOLLIN;
    if (bell->offered_count < MOST_OFFERED) {
        bell->offered[bell->offered_count++] = relay;
        if (is_attended(bell, relay))
            watch(relay, 0);
    }
    pthread_mutex_unlock(&bell->lock);
}

static void withdraw_relay(Relay *relay) {
    Bell *bell = relay->bell;
    pthread_mutex_lock(&bell->lock);
    for (int i = 0; i < bell->offered_count; i++)
        if (bell->offered[i] == relay)
            bell->offered[i--] = bell->offered[--bell->offered_count];
    watch(relay, EPOLLIN);
    pthread_mutex_unlock(&bell->lock);
}

/* ---- the thread that waits */

static int has_eventfd(Bell *bell) {
    if (bell->eventfd < 0)
        bell->eventfd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return bell->eventfd >= 0;
}

/* Attend those that are offered and go on; how many that is. */
static int attend_offered(Bell *bell, struct pollfd *sockets) {
    int count = 0;
    for (int i = 0; i < bell->offered_count; i++) {
        Relay *relay = bell->offered[i];
        if (!has_ended(relay) && watch(relay, 0)) {
            bell->attended[count] = relay->number;
            sockets[count++] = (struct pollfd){.fd = relay->fd, .events = POLLIN};
        }
    }
    bell->attended_count = count;
    return count;
}

/* Attend what is offered, unless another thread does; how many relays that is. */
static int begin_attending(Bell *bell, struct pollfd *sockets) {
    int count = 0;
    if (!is_ours(bell))
        return 0;
    pthread_mutex_lock(&bell->lock);
    if (bell->attended_count == 0 && bell->offered_count > 0 && has_eventfd(bell))
        count = attend_offered(bell, sockets);
    pthread_mutex_unlock(&bell->lock);
    return count;
}

static void end_attending(Bell *bell) {
    pthread_mutex_lock(&bell->lock);
    for (int i = 0; i < bell->offered_count; i++)
        if (is_attended(bell, bell->offered[i]))
            watch(bell->offered[i], EPOLLIN);
    bell->attended_count = 0;
    pthread_mutex_unlock(&bell->lock);
}

static Relay *find_offered(const Bell *bell, long long number) {
    for (int i = 0; i < bell->offered_count; i++)
        if (bell->offered[i]->number == number)
            return bell->offered[i];
    return NULL;
}

/* Attend one no more, which is left to who serves, if anybody does: that one hears of it at once, as mostly a socket can be
 * written to.
 */
static void leave_relay(Bell *bell, int i) {
    Relay *relay = find_offered(bell, bell->attended[i]);
    if (relay != NULL)
        watch(relay, EPOLLIN | EPOLLOUT);
    bell->attended[i] = 0;
}

/* Pass on what is there for a relay, if it is offered. */
static void attend_relay(Bell *bell, int i) {
    pthread_mutex_lock(&bell->lock);
    Relay *relay = find_offered(bell, bell->attended[i]);
    if (relay == NULL || pass_on(relay) == OVER)
        leave_relay(bell, i);
    pthread_mutex_unlock(&bell->lock);
}

/* Have nobody attend the relay with this number any more, whose socket may be about to be closed; on any thread, without
 * the GIL.
 */
static void leave_to_who_serves(Bell *bell, long long number) {
    int is_left = 0;
    if (bell == NULL || !is_ours(bell))
        return;
    pthread_mutex_lock(&bell->lock);
    for (int i = 0; i < bell->attended_count; i++)
        if (bell->attended[i] == number) {
            leave_relay(bell, i);
            is_left = 1;
        }
    pthread_mutex_unlock(&bell->lock);
    if (is_left)
        wake_from_sockets(bell);
}

/* Pass over the sockets of relays that are attended no more. */
static void let_go_of_sockets(Bell *bell, struct pollfd *sockets, int count) {
    pthread_mutex_lock(&bell->lock);
    for (int i = 0; i < count; i++)
        if (bell->attended[i] == 0)
            sockets[i].fd = -1;
    pthread_mutex_unlock(&bell->lock);
}

/* Wait for the sockets and a ring, if there are so many rings only; as ppoll() answers, or 0 if there are more. */
static int wait_at_sockets(Bell *bell, uint32_t rings, struct pollfd *sockets, int count, double until_s) {
    double left_s = until_s - now_s();
    struct timespec left = moment_at(left_s > 0 ? left_s : 0);
    sockets[count] = (struct pollfd){.fd = bell->eventfd, .events = POLLIN};
    __atomic_store_n(&bell->is_at_sockets, 1, __ATOMIC_SEQ_CST); /* first: who rings now sees it, or is seen here */
    let_go_of_sockets(bell, sockets, count);
    int ready = has_rung(bell, rings) ? 0 : ppoll(sockets, (nfds_t)count + 1, &left, NULL);
    __atomic_store_n(&bell->is_at_sockets, 0, __ATOMIC_SEQ_CST);
    return ready;
}

static void forget_rings(const Bell *bell) {
    eventfd_t count;
    eventfd_read(bell->eventfd, &count);
}

/* Attend relays until it has rung; 0, or why not to the end. */
static int attend(Bell *bell, uint32_t rings, struct pollfd *sockets, int count, double until_s) {
    while (!has_rung(bell, rings)) {
        int ready = wait_at_sockets(bell, rings, sockets, count, until_s);
        if (ready < 0)
            return errno;
        if (ready == 0)
            return has_rung(bell, rings) ? 0 : ETIMEDOUT;
        if (sockets[count].revents & ~POLLIN)
            return EBADF;
        if (sockets[count].revents != 0)
            forget_rings(bell);
        for (int i = 0; i < count; i++)
            if (sockets[i].revents != 0)
                attend_relay(bell, i);
    }
    return 0;
}

static int sleep_until(Bell *bell, uint32_t rings, double until_s) {
    struct timespec until = moment_at(until_s);
    __atomic_add_fetch(&bell->waiting, 1, __ATOMIC_SEQ_CST);
    int why = sleep_at(bell, rings, &until);
    __atomic_sub_fetch(&bell->waiting, 1, __ATOMIC_SEQ_CST);
    return why;
}

/* Wait without the GIL; 0, or an error number that says why not to the end. */
static int attend_or_sleep(Bell *bell, uint32_t rings, double until_s) {
    struct pollfd sockets[MOST_OFFERED + 1];
    int count = begin_attending(bell, sockets);
    if (count == 0)
        return sleep_until(bell, rings, until_s);
    int why = attend(bell, rings, sockets, count, until_s);
    end_attending(bell);
    int is_unable = why != 0 && why != EINTR && why != ETIMEDOUT;
    return is_unable ? sleep_until(bell, rings, until_s) : why;
}

#endif
#endif
