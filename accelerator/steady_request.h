/* The next fetch of a session, as wire/fetch_request.py writes it from version 13 on. It contains only the partitions
 * that moved.
 *
 *     length, API key, version, number, [client id], [limits], session, epoch, topics, [forgotten, rack, tags]
 *
 * The parts in brackets are the same in all requests, and are passed in as bytes.
 */
#ifndef KAFKA_NEXTGEN_STEADY_REQUEST_H
#define KAFKA_NEXTGEN_STEADY_REQUEST_H

#include "steady_answer.h"

#define FETCH_KEY 1
#define LAST_EPOCH INT32_MAX
#define HEAD_BYTES 21 /* everything except the topics and the parts passed in as bytes; includes the number of topics */
#define PARTITION_BYTES 33
#define TOPIC_BYTES (TOPIC_ID + 2)

/* Bytes that are the same in each request. */
typedef struct {
    uint8_t *data;
    Py_ssize_t size;
} Given;

typedef struct {
    int32_t version, session_id, epoch; /* of the request in flight */
    Given client_id, limits, rest;
} Request;

static uint8_t *put_bytes(uint8_t *to, const void *data, Py_ssize_t size) {
    memcpy(to, data, (size_t)size);
    return to + size;
}

static uint8_t *put_int32(uint8_t *to, int32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8)
        *to++ = (uint8_t)((uint32_t)number >> shift);
    return to;
}

static uint8_t *put_int64(uint8_t *to, int64_t number) {
    return put_int32(put_int32(to, (int32_t)((uint64_t)number >> 32)), (int32_t)(uint64_t)number);
}

static uint8_t *put_partition(uint8_t *to, const Place *place) {
    to = put_int32(put_int32(to, place->number), place->leader_epoch);
    to = put_int32(put_int64(to, place->offset), place->last_epoch);
    to = put_int32(put_int64(to, -1), place->most_bytes); /* no log start offset, which only followers send */
    *to++ = 0;
    return to;
}

/* The number of consecutive moves, starting with this one, that belong to the same topic. */
static int count_of_topic(const Moves *moves, int first) {
    int count = 1;
    while (first + count < moves->count &&
           memcmp(moves->of[first].place->topic, moves->of[first + count].place->topic, TOPIC_ID) == 0)
        count++;
    return count;
}

static uint8_t *put_topics(uint8_t *to, const Moves *moves) {
    uint8_t *count = to++;
    *count = 1; /* compact arrays store the length plus 1 */
    for (int i = 0; i < moves->count; (*count)++) {
        int in_topic = count_of_topic(moves, i);
        to = put_bytes(to, moves->of[i].place->topic, TOPIC_ID);
        *to++ = (uint8_t)(in_topic + 1);
        for (int end = i + in_topic; i < end; i++)
            to = put_partition(to, moves->of[i].place);
        *to++ = 0;
    }
    return to;
}

/* Write the request, preceded by its length, into a buffer of `size_of_request` bytes. */
static void write_request(const Request *request, int32_t correlation_id, const Moves *moves, uint8_t *frame) {
    uint8_t *to = put_int32(frame + 4, FETCH_KEY << 16 | request->version);
    to = put_bytes(put_int32(to, correlation_id), request->client_id.data, request->client_id.size);
    to = put_bytes(to, request->limits.data, request->limits.size);
    to = put_topics(put_int32(put_int32(to, request->session_id), request->epoch), moves);
    to = put_bytes(to, request->rest.data, request->rest.size);
    put_int32(frame, (int32_t)(to - frame - 4));
}

/* The size of the request, including its length field. */
static Py_ssize_t size_of_request(const Request *request, const Moves *moves) {
    Py_ssize_t size = HEAD_BYTES + request->client_id.size + request->limits.size + request->rest.size;
    for (int i = 0; i < moves->count; i += count_of_topic(moves, i))
        size += TOPIC_BYTES;
    return size + moves->count * PARTITION_BYTES;
}

#endif
