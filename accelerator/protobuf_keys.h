/* Checks whether a key occurs twice in a map. Protobuf keeps the last entry of each key. */
#ifndef KAFKA_NEXTGEN_PROTOBUF_KEYS_H
#define KAFKA_NEXTGEN_PROTOBUF_KEYS_H

#include <stdint.h>
#include <string.h>

#include "column_builder.h"
#include "protobuf_wire.h"

#define PB_FEW_KEYS 8 /* up to this number, all pairs are compared */

typedef struct {
    const uint8_t *data;
    int64_t size;
} PbKey;

typedef struct {
    PbKey *keys;
    int64_t count, capacity;
} PbKeys;

static int pb_add_key(PbKeys *keys, const uint8_t *data, int64_t size) {
    if (keys->count == keys->capacity) {
        int64_t capacity = keys->capacity * 2 + 16;
        PbKey *larger = resized(keys->keys, capacity * (int64_t)sizeof(PbKey));
        if (larger == NULL)
            return NO_MEMORY;
        keys->keys = larger;
        keys->capacity = capacity;
    }
    keys->keys[keys->count++] = (PbKey){data, size};
    return FILLED;
}

/* The order does not matter, as long as equal keys are adjacent. */
static int pb_compare(const PbKey *one, const PbKey *other) {
    if (one->size != other->size)
        return one->size < other->size ? -1 : 1;
    return one->size == 0 ? 0 : memcmp(one->data, other->data, (size_t)one->size);
}

static void pb_sift(PbKey *keys, int64_t root, int64_t count) {
    for (int64_t child = 2 * root + 1; child < count; root = child, child = 2 * root + 1) {
        if (child + 1 < count && pb_compare(&keys[child], &keys[child + 1]) < 0)
            child++;
        if (pb_compare(&keys[root], &keys[child]) >= 0)
            return;
        PbKey key = keys[root];
        keys[root] = keys[child];
        keys[child] = key;
    }
}

/* Heapsort takes O(n log n) for any keys, and needs no memory. */
static void pb_sort(PbKey *keys, int64_t count) {
    for (int64_t root = count / 2 - 1; root >= 0; root--)
        pb_sift(keys, root, count);
    for (int64_t last = count - 1; last > 0; last--) {
        PbKey key = keys[0];
        keys[0] = keys[last];
        keys[last] = key;
        pb_sift(keys, 0, last);
    }
}

static int pb_has_twins(PbKey *keys, int64_t count) {
    if (count <= PB_FEW_KEYS) {
        for (int64_t i = 1; i < count; i++)
            for (int64_t j = 0; j < i; j++)
                if (pb_compare(&keys[i], &keys[j]) == 0)
                    return 1;
        return 0;
    }
    pb_sort(keys, count);
    for (int64_t i = 1; i < count; i++)
        if (pb_compare(&keys[i - 1], &keys[i]) == 0)
            return 1;
    return 0;
}

/* Check the keys from `first` on, and remove them. */
static int pb_check_keys(PbKeys *keys, int64_t first) {
    int is_twice = pb_has_twins(keys->keys + first, keys->count - first);
    keys->count = first;
    return is_twice ? PB_GIVEN_TWICE : FILLED;
}

/* Check the entries of a map that is not closed yet. Their keys are in the column after the column of entries. */
static int pb_check_map(PbKeys *keys, const BuiltColumn *map) {
    static const uint8_t bits[2] = {0, 1};
    const BuiltColumn *column = map + 2;
    int64_t begin = map->bounds == NULL ? 0 : map->bounds[map->length];
    int status = FILLED;
    if (column->length - begin < 2)
        return FILLED;
    for (int64_t i = begin; status == FILLED && i < column->length; i++) {
        if (column->kind == STRINGS)
            status = pb_add_key(keys, column->data + column->bounds[i], column->bounds[i + 1] - column->bounds[i]);
        else if (column->kind == NUMBERS)
            status = pb_add_key(keys, column->data + i * column->width, column->width);
        else
            status = pb_add_key(keys, &bits[column->data[i >> 3] >> (i & 7) & 1], 1);
    }
    return status == FILLED ? pb_check_keys(keys, 0) : status;
}

#endif
