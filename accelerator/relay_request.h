/* The next fetch of a relay, as wire/fetch_request.py writes it from version 13 on: in the same session, and what moved.
 *
 *     length, API key, version, number, [client id], [limits], session, epoch, topics, [forgotten, rack, tags]
 *
 * What is in brackets is the same in all of them, and given as bytes.
 */
#ifndef KAFKA_NEXTGEN_RELAY_REQUEST_H
#define KAFKA_NEXTGEN_RELAY_REQUEST_H

#include "relay_answer.h"

#define FETCH_KEY 1
#define PARTITION_BYTES 33
#define MOST_TOLD (32 + MOST_MOVES * (PARTITION_BYTES + TOPIC_ID + 2)) /* all but what is given as bytes */

/* Bytes that are the same in each request. */
typedef struct {
    uint8_t *data;
    Py_ssize_t size;
} Given;

typedef struct {
    int32_t version, correlation_id, session_id, epoch; /* of the request on its way */
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
    to = put_int32(put_int64(to, -1), place->most_bytes); /* no log start offset, which is a follower's */
    *to++ = 0;
    return to;
}

/* How many moves in a row, from this one on, are of one topic. */
static int count_of_topic(const Findings *findings, int first) {
    int count = 1;
    while (first + count < findings->move_count && memcmp(findings->moves[first].place->topic,
                                                          findings->moves[first + count].place->topic, TOPIC_ID) == 0)
        count++;
    return count;
}

static uint8_t *put_topics(uint8_t *to, const Findings *findings) {
    uint8_t *count = to++;
    *count = 1; /* one more than there are */
    for (int i = 0; i < findings->move_count; (*count)++) {
        int in_topic = count_of_topic(findings, i);
        to = put_bytes(to, findings->moves[i].place->topic, TOPIC_ID);
        *to++ = (uint8_t)(in_topic + 1);
        for (int end = i + in_topic; i < end; i++)
            to = put_partition(to, findings->moves[i].place);
        *to++ = 0;
    }
    return to;
}

/* Write the request with its length in front, into room that is large enough; how long it is. */
static Py_ssize_t write_request(const Request *request, const Findings *findings, uint8_t *frame) {
    uint8_t *to = put_int32(frame + 4, FETCH_KEY << 16 | request->version);
    to = put_bytes(put_int32(to, request->correlation_id), request->client_id.data, request->client_id.size);
    to = put_bytes(to, request->limits.data, request->limits.size);
    to = put_topics(put_int32(put_int32(to, request->session_id), request->epoch), findings);
    to = put_bytes(to, request->rest.data, request->rest.size);
    put_int32(frame, (int32_t)(to - frame - 4));
    return to - frame;
}

/* The room for any of them. */
static Py_ssize_t most_bytes_of(const Request *request) {
    return MOST_TOLD + request->client_id.size + request->limits.size + request->rest.size;
}

#endif
