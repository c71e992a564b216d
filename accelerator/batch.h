/* The batches in a partition's bytes, one after the other: wire/records/batch_header.py and decode.py in C.
 *
 * Batches follow each other in the order of their offsets; the last one may be incomplete, and is ignored. Anything
 * unexpected is reported only as ODD: the twin in Python then reads the same bytes and reports the problem.
 */
#ifndef KAFKA_NEXTGEN_BATCH_H
#define KAFKA_NEXTGEN_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include "crc32c.h"

#define HEADER_SIZE 61
#define LENGTH_END 12 /* the start of the bytes that the length covers */
#define MAGIC_AT 16
#define MAGIC 2
#define CRC_AT 17
#define CRC_START 21 /* the start of the bytes that the CRC covers */
#define ATTRIBUTES_AT 22 /* the low byte of the attributes */

#define CODEC_MASK 0x07
#define LOG_APPEND_TIME 0x08
#define CONTROL 0x20
#define LAST_CODEC 4

typedef enum { SOUND, END, ODD } Verdict;

typedef struct {
    int64_t base_offset;
    int64_t next_offset; /* after the last offset that the batch spans */
    int64_t base_timestamp;
    int64_t max_timestamp;
    int32_t leader_epoch;
    int32_t last_offset_delta;
    int32_t record_count;
    int attributes;
    int is_wanted; /* whether it has records for the application */
    const uint8_t *begin;
    const uint8_t *payload; /* the records, possibly compressed */
    const uint8_t *end;
} Batch;

/* The position in a partition's bytes. */
typedef struct {
    const uint8_t *at;
    const uint8_t *end;
    int64_t fetch_offset;
    int64_t log_offset;      /* after the last batch */
    const uint8_t *skipped; /* the base offsets of batches to skip, ascending, as int64 */
    const uint8_t *skipped_end;
    int32_t end_epoch; /* the leader epoch of the last batch */
} Walk;

static uint32_t big_endian_32(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static int32_t int32_at(const uint8_t *at) { return (int32_t)big_endian_32(at); }

static int64_t int64_at(const uint8_t *at) {
    return (int64_t)((uint64_t)big_endian_32(at) << 32 | big_endian_32(at + 4));
}

/* Check whether there is a complete batch at this position. */
static Verdict find_batch(const uint8_t *at, const uint8_t *end) {
    ptrdiff_t left = end - at;
    if (left > MAGIC_AT && at[MAGIC_AT] != MAGIC)
        return ODD;
    if (left < LENGTH_END)
        return END;
    int32_t length = int32_at(at + 8);
    if (length < HEADER_SIZE - LENGTH_END)
        return ODD;
    return left - LENGTH_END < length ? END : SOUND;
}

static void read_header(const uint8_t *at, Batch *batch) {
    batch->begin = at;
    batch->base_offset = int64_at(at);
    batch->end = at + LENGTH_END + int32_at(at + 8);
    batch->leader_epoch = int32_at(at + 12);
    batch->attributes = at[ATTRIBUTES_AT - 1] << 8 | at[ATTRIBUTES_AT];
    batch->last_offset_delta = int32_at(at + 23);
    batch->base_timestamp = int64_at(at + 27);
    batch->max_timestamp = int64_at(at + 35);
    batch->record_count = int32_at(at + 57);
    batch->payload = at + HEADER_SIZE;
}

static Verdict check_header(Batch *batch, int64_t log_offset) {
    if (batch->base_offset < log_offset || batch->last_offset_delta < 0)
        return ODD;
    if (batch->base_offset > INT64_MAX - 1 - batch->last_offset_delta)
        return ODD;
    if (batch->record_count < 0 || batch->record_count - 1 > batch->last_offset_delta)
        return ODD;
    batch->next_offset = batch->base_offset + batch->last_offset_delta + 1;
    return SOUND;
}

static int codec_of(const Batch *batch) { return batch->attributes & CODEC_MASK; }

static int crc_is_right(const Batch *batch) {
    size_t size = (size_t)(batch->end - batch->begin) - CRC_START;
    return crc32c(batch->begin + CRC_START, size) == big_endian_32(batch->begin + CRC_AT);
}

/* Whether this is one of the batches to skip. They come in the order of the list. */
static int is_skipped(Walk *walk, int64_t base_offset) {
    for (; walk->skipped < walk->skipped_end; walk->skipped += sizeof(int64_t)) {
        int64_t next;
        memcpy(&next, walk->skipped, sizeof next);
        if (next >= base_offset)
            return next == base_offset;
    }
    return 0;
}

/* Read the header of the next batch; END after the last complete one. */
static Verdict next_batch(Walk *walk, Batch *batch) {
    Verdict verdict = find_batch(walk->at, walk->end);
    if (verdict != SOUND)
        return verdict;
    read_header(walk->at, batch);
    if (check_header(batch, walk->log_offset) != SOUND)
        return ODD;
    batch->is_wanted = !(batch->attributes & CONTROL) && batch->next_offset > walk->fetch_offset &&
                       !is_skipped(walk, batch->base_offset);
    if (batch->is_wanted && codec_of(batch) > LAST_CODEC)
        return ODD;
    walk->at = batch->end;
    walk->log_offset = batch->next_offset;
    walk->end_epoch = batch->leader_epoch;
    return SOUND;
}

#endif
