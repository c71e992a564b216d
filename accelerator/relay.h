/* FetchRelay: fetches from one broker without Python, as long as all answers are plain (`relay_answer.h`).
 *
 * It receives answers inside `serve`, on the thread of an event loop and without the GIL. It keeps each plain answer for
 * Python, sends the next fetch and rings the bell. Anything else ends the relay: Python goes on with the bytes that it
 * received so far.
 *
 * Only the serving thread receives. Other threads may take answers or end the relay meanwhile. The kept answers are a queue
 * with the serving thread at one end and the threads that take answers, which hold the GIL and a lock of their own, at
 * the other. So taking never blocks, not even in a forked process. `lock` makes the end of a relay wait until the answer
 * that is being kept counts and the next request is written. All other fields belong to the serving thread, or to the
 * loop's thread while it runs Python.
 */
#ifndef KAFKA_NEXTGEN_RELAY_H
#define KAFKA_NEXTGEN_RELAY_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#ifdef __linux__

#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>

#include "bell.h"
#include "relay_request.h"

#define FRAME_HEAD 9 /* of an answer: its length, its number, no tags */
#define MOST_FRAME (FRAME_HEAD + MOST_ANSWER)
#define LAST_EPOCH INT32_MAX

/* An answer that waits to be taken. */
typedef struct Kept {
    struct Kept *next; /* written last, by the serving thread */
    long long number;  /* counted from 1 */
    double came_at;
    Py_ssize_t size;
    uint8_t data[];
} Kept;

/* Counts since the last call of counted(). */
typedef struct {
    long long answers, bytes_in, bytes_out, records, data_bytes;
    double took_s, longest_s; /* from request to answer: the sum, and the longest */
} Counted;

typedef struct {
    PyObject_HEAD
    int fd, check_crc;
    Bell *bell; /* or NULL */
    Places places;
    Request request;
    Findings *findings;
    Counted counted;
    double asked_at;
    uint8_t *frame; /* the bytes received of the next answer */
    Py_ssize_t received;
    uint8_t *asked; /* the last request; `sent` of its bytes were sent */
    Py_ssize_t asked_size, sent;
    Kept *last;           /* the end of the queue */
    long long kept_count; /* since it was made */
    Py_ssize_t most_kept_bytes;
    /* shared by all threads */
    pthread_mutex_t lock;
    int is_over;
    Py_ssize_t kept_bytes;
    /* of the threads that take answers */
    Kept *taken; /* the last one taken: the queue begins behind it */
} Relay;

typedef enum { INCOMPLETE, KEPT, OVER } Outcome;

/* The size of the frame that is being received; 0 while it is unknown. */
static Py_ssize_t frame_size(const Relay *relay) {
    if (relay->received < 4)
        return 0;
    int32_t size = int32_at(relay->frame);
    return size < 0 || size > MOST_FRAME ? MOST_FRAME + 1 : (Py_ssize_t)size + 4;
}

/* 1 if the answer is complete, 0 if bytes are missing, -1 if it is not for a relay. */
static int is_whole(const Relay *relay) {
    Py_ssize_t size = frame_size(relay);
    if (size > MOST_FRAME || (size > 0 && (size < FRAME_HEAD || relay->received > size)))
        return -1;
    return size > 0 && relay->received == size;
}

/* Receive all available bytes: 1 if the answer is complete, 0 if bytes are missing, -1 if the relay has to end. */
static int receive_answer(Relay *relay) {
    int whole = 0;
    while (whole == 0) {
        ssize_t got = recv(relay->fd, relay->frame + relay->received, (size_t)(MOST_FRAME - relay->received), MSG_DONTWAIT);
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return 0;
        if (got <= 0)
            return -1;
        relay->received += got;
        whole = is_whole(relay);
    }
    return whole;
}

/* Whether it answers the last request and is plain. */
static int is_plain(Relay *relay) {
    const uint8_t *frame = relay->frame;
    Cursor body = {frame + FRAME_HEAD, frame + relay->received};
    return int32_at(frame + 4) == relay->request.correlation_id && frame[8] == 0 &&
           check_answer(relay->findings, body, relay->request.session_id, &relay->places, relay->check_crc);
}

static Py_ssize_t bytes_to_keep(Py_ssize_t size) { return (Py_ssize_t)sizeof(Kept) + size; }

/* Begin the queue with an empty answer, which counts as taken; 0 if there is no memory. */
static int begin_queue(Relay *relay) {
    relay->last = relay->taken = PyMem_RawCalloc(1, sizeof(Kept));
    return relay->last != NULL;
}

/* Append the answer to the queue, in this memory; 0 if that is NULL, the queue full, or the relay over. Needs the lock. */
static int keep_answer(Relay *relay, double now, Kept *kept) {
    Py_ssize_t size = relay->received - FRAME_HEAD;
    Py_ssize_t kept_bytes = __atomic_load_n(&relay->kept_bytes, __ATOMIC_RELAXED);
    int is_wanted = !relay->is_over && kept_bytes + bytes_to_keep(size) <= relay->most_kept_bytes;
    if (kept == NULL || !is_wanted)
        return 0;
    *kept = (Kept){NULL, ++relay->kept_count, now, size};
    memcpy(kept->data, relay->frame + FRAME_HEAD, (size_t)size);
    __atomic_add_fetch(&relay->kept_bytes, bytes_to_keep(size), __ATOMIC_RELAXED);
    __atomic_store_n(&relay->last->next, kept, __ATOMIC_RELEASE);
    relay->last = kept;
    return 1;
}

static void count_answer(Relay *relay, double now) {
    double took_s = now - relay->asked_at;
    relay->counted.took_s += took_s;
    if (took_s > relay->counted.longest_s)
        relay->counted.longest_s = took_s;
    relay->counted.answers++;
    relay->counted.bytes_in += relay->received;
    relay->counted.records += relay->findings->records;
    relay->counted.data_bytes += relay->findings->data_bytes;
    relay->received = 0;
}

/* Write the next request, which goes on behind the answer. */
static void write_next_request(Relay *relay) {
    Request *request = &relay->request;
    for (int i = 0; i < relay->findings->move_count; i++) {
        const Move *move = &relay->findings->moves[i];
        move->place->offset = move->next_offset;
        if (move->end_epoch >= 0)
            move->place->last_epoch = move->end_epoch;
    }
    request->epoch = request->epoch == LAST_EPOCH ? 1 : request->epoch + 1;
    request->correlation_id = request->correlation_id == INT32_MAX ? 0 : request->correlation_id + 1;
    relay->asked_size = write_request(request, relay->findings, relay->asked);
    relay->sent = 0;
}

/* Send the request; 0 if the socket does not take all of it at once. */
static int send_request(Relay *relay, double now) {
    relay->asked_at = now;
    relay->counted.bytes_out += relay->asked_size;
    ssize_t sent = send(relay->fd, relay->asked, (size_t)relay->asked_size, MSG_DONTWAIT | MSG_NOSIGNAL);
    relay->sent = sent > 0 ? sent : 0;
    return relay->sent == relay->asked_size;
}

/* Keep a plain answer and write the next request; 0 if the relay has to end. */
static int keep_and_write_next(Relay *relay, double now) {
    /* without the lock: under tracemalloc this takes the GIL, with which another thread may wait for the lock */
    Kept *kept = PyMem_RawMalloc(sizeof(Kept) + (size_t)relay->received);
    pthread_mutex_lock(&relay->lock);
    int is_kept = keep_answer(relay, now, kept);
    if (is_kept) {
        count_answer(relay, now);
        write_next_request(relay);
    }
    pthread_mutex_unlock(&relay->lock);
    if (!is_kept)
        PyMem_RawFree(kept);
    return is_kept;
}

/* Keep a plain answer, send the next request and ring; 0 if the relay has to end. */
static int keep_and_fetch(Relay *relay) {
    double now = now_s();
    if (!keep_and_write_next(relay, now))
        return 0;
    int is_sent = send_request(relay, now);
    if (relay->bell != NULL)
        ring_bell(relay->bell);
    return is_sent;
}

static void end_relay(Relay *relay) {
    pthread_mutex_lock(&relay->lock);
    __atomic_store_n(&relay->is_over, 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&relay->lock);
}

/* Handle a readable socket, without the GIL. */
static Outcome on_readable(Relay *relay) {
    int whole = receive_answer(relay);
    if (whole == 0)
        return INCOMPLETE;
    if (whole > 0 && is_plain(relay) && keep_and_fetch(relay))
        return KEPT;
    end_relay(relay);
    return OVER;
}

#endif
#endif
