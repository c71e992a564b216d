/* Records to columns in Arrow's layout: wire/records/gathering.py in C.
 *
 * The records are gone over twice: `measure` checks them and counts, so that each column can be made as large as it has
 * to be, and `fill` copies every byte to where it stays. The data may belong to somebody who writes into it meanwhile:
 * `fill` believes nothing that `measure` saw, and compares with the room there is.
 */
#ifndef KAFKA_NEXTGEN_COLUMNS_H
#define KAFKA_NEXTGEN_COLUMNS_H

#include <stdint.h>
#include <string.h>

#include "batch.h"
#include "record.h"

typedef struct {
    int64_t entries;
    int64_t nulls;
    int64_t bytes;
} ColumnSize;

typedef struct {
    ColumnSize keys;
    ColumnSize values;
    ColumnSize header_keys;
    ColumnSize header_values;
    int64_t payload_bytes;
    int has_headers; /* any record, even one before the offset asked for */
} Sizes;

static void count_entry(ColumnSize *size, Entry entry) {
    size->entries++;
    if (entry.size < 0)
        size->nulls++;
    else
        size->bytes += entry.size;
}

static void count_record(Sizes *sizes, const Record *record) {
    Entry key, value;
    Cursor cursor = record->headers;
    count_entry(&sizes->keys, record->key);
    count_entry(&sizes->values, record->value);
    for (int32_t left = record->header_count; left > 0; left--) {
        if (!read_record_header(&cursor, &key, &value))
            return;
        count_entry(&sizes->header_keys, key);
        count_entry(&sizes->header_values, value);
    }
}

static int is_time_sound(const Batch *batch, int64_t delta) {
    if (batch->attributes & LOG_APPEND_TIME)
        return 1;
    int64_t base = batch->base_timestamp;
    return delta < 0 ? base >= INT64_MIN - delta : base <= INT64_MAX - delta;
}

static int is_record_sound(const Batch *batch, const Record *record, int32_t last_delta) {
    return record->offset_delta > last_delta && record->offset_delta <= batch->last_offset_delta &&
           is_time_sound(batch, record->timestamp_delta) &&
           (record->header_count == 0 || check_record_headers(record->headers, record->header_count));
}

static Verdict measure_batch(const Batch *batch, int64_t fetch_offset, Sizes *sizes) {
    Cursor cursor = {batch->payload, batch->end};
    Record record;
    int32_t last_delta = -1;
    for (int32_t left = batch->record_count; left > 0; left--) {
        if (!read_record(&cursor, &record) || !is_record_sound(batch, &record, last_delta))
            return ODD;
        last_delta = record.offset_delta;
        sizes->has_headers |= record.header_count > 0;
        if (batch->base_offset + record.offset_delta >= fetch_offset)
            count_record(sizes, &record);
    }
    sizes->payload_bytes += batch->end - batch->payload;
    return cursor.at == cursor.end ? SOUND : ODD;
}

/* Go over all records; ODD too if a column would not fit into Arrow's 32 bits. */
static Verdict measure(const Batch *batches, size_t count, int64_t fetch_offset, Sizes *sizes) {
    memset(sizes, 0, sizeof *sizes);
    for (size_t i = 0; i < count; i++)
        if (measure_batch(&batches[i], fetch_offset, sizes) != SOUND)
            return ODD;
    int64_t most = sizes->keys.entries;
    const ColumnSize *all[] = {&sizes->keys, &sizes->values, &sizes->header_keys, &sizes->header_values};
    for (int i = 0; i < 4; i++) {
        most = all[i]->bytes > most ? all[i]->bytes : most;
        most = all[i]->entries > most ? all[i]->entries : most;
    }
    return most < INT32_MAX ? SOUND : ODD;
}

/* A column being filled; `validity` is NULL if no entry is null. */
typedef struct {
    int32_t entries, most_entries;
    int32_t bytes, most_bytes;
    uint8_t *data;
    int32_t *bounds;
    uint8_t *validity;
} Column;

typedef struct {
    int64_t *offsets;
    int64_t *timestamps;
    int32_t *leader_epochs;
    int8_t *timestamp_types;
    int32_t *header_bounds; /* NULL if there are no headers */
    Column keys;
    Column values;
    Column header_keys;
    Column header_values;
} Columns;

static inline int append_entry(Column *column, Entry entry) {
    int32_t index = column->entries;
    if (index >= column->most_entries || entry.size > column->most_bytes - column->bytes)
        return 0;
    if (entry.size > 0) {
        memcpy(column->data + column->bytes, entry.data, (size_t)entry.size);
        column->bytes += entry.size;
    }
    if (column->validity != NULL && entry.size >= 0)
        column->validity[index >> 3] |= (uint8_t)(1 << (index & 7));
    column->bounds[index + 1] = column->bytes;
    column->entries = index + 1;
    return 1;
}

static int append_record_headers(Columns *columns, const Record *record) {
    Cursor cursor = record->headers;
    Entry key, value;
    for (int32_t left = record->header_count; left > 0; left--)
        if (!read_record_header(&cursor, &key, &value) || !append_entry(&columns->header_keys, key) ||
            !append_entry(&columns->header_values, value))
            return 0;
    return 1;
}

static inline int append_record(Columns *columns, const Batch *batch, const Record *record) {
    int32_t index = columns->keys.entries;
    if (!append_entry(&columns->keys, record->key) || !append_entry(&columns->values, record->value))
        return 0;
    int by_log = batch->attributes & LOG_APPEND_TIME; /* then the producer's times no longer count */
    uint64_t timestamp = (uint64_t)batch->base_timestamp + (uint64_t)record->timestamp_delta;
    columns->offsets[index] = batch->base_offset + record->offset_delta;
    columns->timestamps[index] = by_log ? batch->max_timestamp : (int64_t)timestamp;
    columns->leader_epochs[index] = batch->leader_epoch;
    columns->timestamp_types[index] = by_log ? 1 : 0;
    if (columns->header_bounds == NULL)
        return 1;
    if (!append_record_headers(columns, record))
        return 0;
    columns->header_bounds[index + 1] = columns->header_keys.entries;
    return 1;
}

static Verdict fill_from_batch(const Batch *batch, int64_t fetch_offset, Columns *columns) {
    Cursor cursor = {batch->payload, batch->end};
    Record record;
    for (int32_t left = batch->record_count; left > 0; left--) {
        if (!read_record(&cursor, &record))
            return ODD;
        if (batch->base_offset + record.offset_delta >= fetch_offset && !append_record(columns, batch, &record))
            return ODD;
    }
    return SOUND;
}

static int is_full(const Column *column) {
    return column->entries == column->most_entries && column->bytes == column->most_bytes;
}

/* Fill all columns up to the last byte, or ODD if the data changed since it was measured. */
static Verdict fill(const Batch *batches, size_t count, int64_t fetch_offset, Columns *columns) {
    for (size_t i = 0; i < count; i++)
        if (fill_from_batch(&batches[i], fetch_offset, columns) != SOUND)
            return ODD;
    int is_all = is_full(&columns->keys) && is_full(&columns->values) && is_full(&columns->header_keys) &&
                 is_full(&columns->header_values);
    return is_all ? SOUND : ODD;
}

#endif
