/* The fields of a plain Fetch answer: the parts of requests/fetch.py that small answers need, in C.
 *
 * Each reader returns whether what it read is plain. It never reads beyond the end of the cursor: it compares with the
 * end before each access.
 */
#ifndef KAFKA_NEXTGEN_ANSWER_FIELDS_H
#define KAFKA_NEXTGEN_ANSWER_FIELDS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "batch.h"
#include "record.h"

#define ANSWER_HEAD 10 /* throttle time, error, session */
#define TOPIC_ID 16
#define PARTITION_HEAD 35 /* everything before the records */

/* The part of an answer about one partition. */
typedef struct {
    int32_t number;
    int64_t high_watermark, last_stable, log_start;
    const uint8_t *records, *end;
} Part;

static int left_of(const Cursor *cursor, Py_ssize_t bytes) { return cursor->end - cursor->at >= bytes; }

/* Read an entry count that is encoded in one byte. Returns -1 if it takes more, is null or is missing. */
static int read_count(Cursor *cursor) {
    if (!left_of(cursor, 1) || *cursor->at == 0 || *cursor->at >= 0x80)
        return -1;
    return *cursor->at++ - 1;
}

/* Read the size of the records, which takes one or two bytes. Returns 0 if there are no records, or if the size takes
 * more bytes or is missing. */
static Py_ssize_t read_size_of_records(Cursor *cursor) {
    Py_ssize_t first = left_of(cursor, 1) ? *cursor->at++ : 0;
    if (first < 0x80)
        return first > 1 ? first - 1 : 0;
    if (!left_of(cursor, 1) || *cursor->at == 0 || *cursor->at >= 0x80)
        return 0;
    return (first - 0x80 + ((Py_ssize_t)*cursor->at++ << 7)) - 1;
}

static int read_no_tags(Cursor *cursor) { return left_of(cursor, 1) && *cursor->at++ == 0; }

/* Read a partition. Returns 0 if it is incomplete or not plain. */
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
