/* FetchRelay: fetches on from one broker without Python, as long as answers are what nearly all small ones are.
 *
 * An answer that is (`relay_answer.h`) is kept for whoever takes it, the next fetch is sent, and the bell is rung. `serve`
 * has that done by the thread of an event loop, in place of the loop, and without the GIL. At the first answer that is not,
 * the relay is over: what was received of it is left, and Python goes on from there.
 *
 * One thread at a time passes answers on. It may be inside of it while another one takes answers, or ends it. Answers are a
 * queue with one thread at each end: those who take them have the GIL, and a lock of theirs. So taking waits for nobody,
 * not even in a process that was forked off meanwhile. Ending waits until an answer that is just being taken in has been
 * asked on behind, for which there is a lock. All else belongs to who passes on, or to the loop's thread when nobody does.
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

/* An answer that waits to be taken; what it takes is counted with it. */
typedef struct Kept {
    struct Kept *next; /* written by who passes it on, as the last of it */
    long long number; /* counted from 1 */
    double came_at;
    Py_ssize_t size;
    uint8_t data[];
} Kept;

/* What was counted since somebody last asked. */
typedef struct {
    long long answers, bytes_in, bytes_out, records, data_bytes;
    double took_s, longest_s; /* from requests to their answers: in all, and the one that took longest */
} Counted;

typedef struct {
    PyObject_HEAD
    int fd, check_crc;
    Bell *bell; /* NULL if there is none to be rung without the GIL */
    Places places;
    Request request;
    Findings *findings;
    Counted counted;
    double asked_at;
    uint8_t *frame; /* what was received of the answer on its way */
    Py_ssize_t received;
    uint8_t *asked; /* the request on its way */
    Py_ssize_t asked_size, sent;
    Kept *last;           /* that was kept */
    long long kept_count; /* from its beginning on */
    Py_ssize_t most_kept_bytes;
    /* shared */
    pthread_mutex_t lock;
    int is_over;
    Py_ssize_t kept_bytes;
    /* of those who take answers */
    Kept *taken; /* the last one that was taken: what follows it was not */
} Relay;

typedef enum { WAITS, WENT_ON, OVER } Outcome;

/* How long the frame is that is being received; 0 as long as that is not known. */
static Py_ssize_t frame_size(const Relay *relay) {
    if (relay->received < 4)
        return 0;
    int32_t size = int32_at(relay->frame);
    return size < 0 || size > MOST_FRAME ? MOST_FRAME + 1 : (Py_ssize_t)size + 4;
}

/* 1 if the answer on its way is whole, 0 if there is more to come, -1 if it is not for a relay. */
static int is_whole(const Relay *relay) {
    Py_ssize_t size = frame_size(relay);
    if (size > MOST_FRAME || (size > 0 && (size < FRAME_HEAD || relay->received > size)))
        return -1;
    return size > 0 && relay->received == size;
}

/* Receive what is there: 1 if that makes an answer whole, 0 if not, -1 if the relay is over. */
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

/* Whether the answer is to the request on its way, and plain. */
static int is_plain(Relay *relay) {
    const uint8_t *frame = relay->frame;
    Cursor body = {frame + FRAME_HEAD, frame + relay->received};
    return int32_at(frame + 4) == relay->request.correlation_id && frame[8] == 0 &&
           check_answer(relay->findings, body, relay->request.session_id, &relay->places, relay->check_crc);
}

static Py_ssize_t bytes_to_keep(Py_ssize_t size) { return (Py_ssize_t)sizeof(Kept) + size; }

/* Keep an answer of no bytes in front of all others; 0 if there is no memory. */
static int begin_keeping(Relay *relay) {
    relay->last = relay->taken = PyMem_RawCalloc(1, sizeof(Kept));
    return relay->last != NULL;
}

/* Keep the answer in what was made for it; 0 if there is no room, or nobody wants it any more. */
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

static void note_answer(Relay *relay, double now) {
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

/* Make the next request: behind what was answered. */
static void move_on(Relay *relay) {
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

/* Send the request; 0 if not all of it goes out at once. */
static int send_request(Relay *relay, double now) {
    relay->asked_at = now;
    relay->counted.bytes_out += relay->asked_size;
    ssize_t sent = send(relay->fd, relay->asked, (size_t)relay->asked_size, MSG_DONTWAIT | MSG_NOSIGNAL);
    relay->sent = sent > 0 ? sent : 0;
    return relay->sent == relay->asked_size;
}

/* Take in a plain answer and ask on; whether that may go on. */
static int answer_and_ask(Relay *relay) {
    double now = now_s();
    Kept *kept = PyMem_RawMalloc(sizeof(Kept) + (size_t)relay->received); /* nobody waits for that with the lock */
    pthread_mutex_lock(&relay->lock);
    int is_kept = keep_answer(relay, now, kept);
    if (is_kept) {
        note_answer(relay, now);
        move_on(relay);
    }
    pthread_mutex_unlock(&relay->lock);
    if (!is_kept)
        PyMem_RawFree(kept);
    return is_kept && send_request(relay, now);
}

static void end_relay(Relay *relay) {
    pthread_mutex_lock(&relay->lock);
    __atomic_store_n(&relay->is_over, 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&relay->lock);
}

/* Its socket has something; without the GIL. */
static Outcome pass_on(Relay *relay) {
    int whole = receive_answer(relay);
    long long before = relay->counted.answers;
    int is_well = whole >= 0 && (whole == 0 || (is_plain(relay) && answer_and_ask(relay)));
    if (relay->bell != NULL && relay->counted.answers != before)
        ring_bell(relay->bell);
    if (!is_well)
        end_relay(relay);
    return !is_well ? OVER : whole ? WENT_ON : WAITS;
}

#endif
#endif
