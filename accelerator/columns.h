/* Decodes records into columns in Arrow's layout: the builders in wire/records/columns.py, in C.
 *
 * The records are read once, checked, and copied to their final place. The batch headers give the maximum number of
 * records, and neither the keys nor the values can be larger than the payloads. So the columns are allocated at that
 * size first, and trimmed afterwards. Only headers, which are rare and whose number is not known, are counted first and
 * copied in a second pass.
 *
 * The data may belong to a caller that writes to it in the meantime. The first pass reads each byte once and only moves
 * forward, and it knows the payloads' sizes in advance, so its columns can't overflow. The second pass checks the
 * remaining space.
 */
#ifndef KAFKA_NEXTGEN_COLUMNS_H
#define KAFKA_NEXTGEN_COLUMNS_H

#include <stdint.h>
#include <string.h>

#include "batch.h"
#include "record.h"

/* A column being filled; `validity` is initialized to all ones. */
typedef struct {
    int32_t entries;
    int32_t bytes;
    int32_t nulls;
    uint8_t *data;
    int32_t *bounds;
    uint8_t *validity;
} Column;

/* The space needed for the headers of the records that were read. */
typedef struct {
    int is_any; /* whether any record has headers, even one before the requested offset */
    int32_t entries;
    int32_t key_bytes;
    int32_t value_bytes;
} HeaderSizes;

typedef struct {
    int64_t *offsets;
    int64_t *timestamps;
    int32_t *leader_epochs;
    int8_t *timestamp_types;
    Column keys;
    Column values;
    HeaderSizes header_sizes;
} Columns;

typedef struct {
    int32_t records;
    int32_t most_records;
    HeaderSizes most;
    int32_t *bounds;
    Column keys;
    Column values;
} Headers;

static inline void append_entry(Column *column, Entry entry) {
    int32_t index = column->entries++;
    if (entry.size > 0) {
        memcpy(column->data + column->bytes, entry.data, (size_t)entry.size);
        column->bytes += entry.size;
    } else if (entry.size < 0) {
        column->nulls++;
        column->validity[index >> 3] &= (uint8_t)~(1 << (index & 7));
    }
    column->bounds[index + 1] = column->bytes;
}

/* Check a record's headers and count them; the record must end after the last one. */
static int count_headers(const Record *record, int is_wanted, HeaderSizes *sizes) {
    Cursor cursor = record->headers;
    Entry key, value;
    sizes->is_any = 1;
    for (int32_t left = record->header_count; left > 0; left--) {
        if (!read_record_header(&cursor, &key, &value) || !is_utf8(key))
            return 0;
        if (!is_wanted)
            continue;
        sizes->entries++;
        sizes->key_bytes += key.size;
        sizes->value_bytes += value.size > 0 ? value.size : 0;
    }
    return cursor.at == cursor.end;
}

/* The timestamp of a record; bits beyond 64 are dropped. */
static inline int64_t timestamp_of(const Batch *batch, int64_t delta) {
    if (batch->attributes & LOG_APPEND_TIME)
        return batch->max_timestamp; /* records still contain the producer's timestamps, which no longer apply */
    return (int64_t)((uint64_t)batch->base_timestamp + (uint64_t)delta);
}

static void append_of_batch(const Batch *batch, int32_t first, Columns *columns) {
    int8_t timestamp_type = batch->attributes & LOG_APPEND_TIME ? 1 : 0;
    for (int32_t i = first; i < columns->keys.entries; i++) {
        columns->leader_epochs[i] = batch->leader_epoch;
        columns->timestamp_types[i] = timestamp_type;
    }
}

static Verdict read_batch(const Batch *batch, int64_t fetch_offset, Columns *columns) {
    Cursor cursor = {batch->payload, batch->end};
    Record record;
    int32_t last_delta = -1, first = columns->keys.entries;
    for (int32_t left = batch->record_count; left > 0; left--) {
        if (!read_record(&cursor, &record) || record.offset_delta <= last_delta ||
            record.offset_delta > batch->last_offset_delta)
            return ODD;
        int64_t offset = batch->base_offset + record.offset_delta;
        int is_wanted = offset >= fetch_offset;
        last_delta = record.offset_delta;
        if (record.header_count > 0 && !count_headers(&record, is_wanted, &columns->header_sizes))
            return ODD;
        if (!is_wanted)
            continue;
        int32_t index = columns->keys.entries;
        columns->timestamps[index] = timestamp_of(batch, record.timestamp_delta);
        columns->offsets[index] = offset;
        append_entry(&columns->keys, record.key);
        append_entry(&columns->values, record.value);
    }
    append_of_batch(batch, first, columns);
    return cursor.at == cursor.end ? SOUND : ODD;
}

/* The first pass: everything but the headers. The columns have space for the number of records that the batches
 * declare, and for the bytes of their payloads. */
static Verdict read_batches(const Batch *batches, size_t count, int64_t fetch_offset, Columns *columns) {
    for (size_t i = 0; i < count; i++)
        if (read_batch(&batches[i], fetch_offset, columns) != SOUND)
            return ODD;
    return SOUND;
}

static int append_headers(const Record *record, Headers *headers) {
    Cursor cursor = record->headers;
    Entry key, value;
    for (int32_t left = record->header_count; left > 0; left--) {
        if (!read_record_header(&cursor, &key, &value) || headers->keys.entries == headers->most.entries ||
            key.size > headers->most.key_bytes - headers->keys.bytes ||
            value.size > headers->most.value_bytes - headers->values.bytes)
            return 0;
        append_entry(&headers->keys, key);
        append_entry(&headers->values, value);
    }
    return 1;
}

static Verdict read_headers_of_batch(const Batch *batch, int64_t fetch_offset, Headers *headers) {
    Cursor cursor = {batch->payload, batch->end};
    Record record;
    for (int32_t left = batch->record_count; left > 0; left--) {
        if (!read_record(&cursor, &record))
            return ODD;
        if (record.offset_delta < fetch_offset - batch->base_offset)
            continue;
        if (headers->records == headers->most_records || !append_headers(&record, headers))
            return ODD;
        headers->bounds[++headers->records] = headers->keys.entries;
    }
    return SOUND;
}

/* The second pass: only the headers; ODD if the number or size differs from that of the first pass. */
static Verdict read_headers(const Batch *batches, size_t count, int64_t fetch_offset, Headers *headers) {
    for (size_t i = 0; i < count; i++)
        if (read_headers_of_batch(&batches[i], fetch_offset, headers) != SOUND)
            return ODD;
    int is_all = headers->records == headers->most_records && headers->keys.entries == headers->most.entries &&
                 headers->keys.bytes == headers->most.key_bytes && headers->values.bytes == headers->most.value_bytes;
    return is_all ? SOUND : ODD;
}

#endif
