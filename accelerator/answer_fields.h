/* The fields of a plain Fetch answer: the parts of wire/fetch_response.py that small answers need, in C.
 *
 * Every reader says whether what it read is plain. A cursor never leaves its bytes: each access is preceded by a
 * comparison with the end.
 */
#ifndef KAFKA_NEXTGEN_ANSWER_FIELDS_H
#define KAFKA_NEXTGEN_ANSWER_FIELDS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "batch.h"
#include "record.h"

#define ANSWER_HEAD 10 /* throttle time, error, session */
#define TOPIC_ID 16
#define PARTITION_HEAD 35 /* all in front of the records */

/* What was answered for a partition. */
typedef struct {
    int32_t number;
    int64_t high_watermark, last_stable, log_start;
    const uint8_t *records, *end;
} Part;

static int left_of(const Cursor *cursor, Py_ssize_t bytes) { return cursor->end - cursor->at >= bytes; }

/* The number of entries, in one byte; -1 if it is odd. */
static int read_count(Cursor *cursor) {
    if (!left_of(cursor, 1) || *cursor->at == 0 || *cursor->at >= 0x80)
        return -1;
    return *cursor->at++ - 1;
}

/* How long the records are, in one byte or two; 0 if there are none, or it is odd. */
static Py_ssize_t read_size_of_records(Cursor *cursor) {
    Py_ssize_t first = left_of(cursor, 1) ? *cursor->at++ : 0;
    if (first < 0x80)
        return first > 1 ? first - 1 : 0;
    if (!left_of(cursor, 1) || *cursor->at == 0 || *cursor->at >= 0x80)
        return 0;
    return (first - 0x80 + ((Py_ssize_t)*cursor->at++ << 7)) - 1;
}

static int read_no_tags(Cursor *cursor) { return left_of(cursor, 1) && *cursor->at++ == 0; }

/* 1 if there is a partition, and nothing odd about it. */
static int read_part(Cursor *cursor, Part *part) {
    const uint8_t *at = cursor->at;
    if (!left_of(cursor, PARTITION_HEAD) || at[4] != 0 || at[5] != 0 || at[30] > 1 || int32_at(at + 31) != -1)
        return 0; /* an error, aborted transactions, or a replica */
    part->number = int32_at(at);
    part->high_watermark = int64_at(at + 6);
    part->last_stable = int64_at(at + 14);
    part->log_start = int64_at(at + 22);
    cursor->at += PARTITION_HEAD;
    Py_ssize_t size = read_size_of_records(cursor);
    if (size == 0 || !left_of(cursor, size))
        return 0;
    part->records = cursor->at;
    cursor->at = part->end = cursor->at + size;
    return read_no_tags(cursor);
}

#endif
