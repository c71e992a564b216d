/* Typed columns in Arrow's layout, filled value by value: the rows of any format.
 *
 * Columns are stored in preorder; `end` is the index after the last descendant. Entry i of a list consists of the
 * entries bounds[i] to bounds[i + 1] of its only child. A struct and its children have the same number of entries: the
 * decoder ensures this by the end of each row, and can remove what a bad row has added (`cut_rows`).
 *
 * No Python object is used here, so the GIL can be released. Functions that grow a buffer return FILLED, or the reason
 * why they can't.
 */
#ifndef KAFKA_NEXTGEN_COLUMN_BUILDER_H
#define KAFKA_NEXTGEN_COLUMN_BUILDER_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

#define MOST_DEPTH 64 /* the maximum nesting of columns, and the recursion depth of `append_null` */
#define MOST_COLUMNS 16384
#define MOST_ENTRIES (INT32_MAX - 64) /* Arrow's bounds have 32 bits */

typedef enum { NULLS, BITS, NUMBERS, STRINGS, LISTS, STRUCTS } ColumnKind;

enum { FILLED = 0, NO_MEMORY = -1, TOO_LARGE = -2 };

typedef struct {
    ColumnKind kind;
    int is_nullable;
    int32_t width; /* the size of an entry of NUMBERS */
    int32_t end;
    int64_t length, capacity, nulls;
    int64_t bytes, byte_capacity; /* of STRINGS */
    int64_t target;               /* the length to which `cut_rows` truncates it */
    uint8_t *validity;            /* NULL until there is a null; all ones after the last entry */
    uint8_t *data;
    int32_t *bounds;
} BuiltColumn;

typedef struct {
    int32_t count;
    BuiltColumn *columns;
} ColumnTree;

static void *resized(void *memory, int64_t size) {
    return (uint64_t)size > (uint64_t)PY_SSIZE_T_MAX ? NULL : PyMem_RawRealloc(memory, (size_t)size);
}

/* Return the new size of a buffer that must hold `needed`, which is more than `capacity`. It stays below 2^31, because
 * entries that fit into a buffer are not checked again, and bounds have 32 bits. */
static int64_t grown(int64_t capacity, int64_t needed) {
    int64_t doubled = Py_MIN(capacity * 2, (int64_t)MOST_ENTRIES);
    return (Py_MAX(doubled, needed) + 63) / 64 * 64;
}

static int resize_validity(BuiltColumn *column, int64_t capacity) {
    uint8_t *validity = resized(column->validity, capacity / 8);
    if (validity == NULL)
        return NO_MEMORY;
    int64_t known = column->validity == NULL ? 0 : column->capacity / 8;
    memset(validity + known, 0xFF, (size_t)(capacity / 8 - known));
    column->validity = validity;
    return FILLED;
}

static int resize_data(BuiltColumn *column, int64_t capacity) {
    uint8_t *data = resized(column->data, column->kind == BITS ? capacity / 8 : capacity * column->width);
    if (data == NULL)
        return NO_MEMORY;
    column->data = data;
    return FILLED;
}

static int resize_bounds(BuiltColumn *column, int64_t capacity) {
    int32_t *bounds = resized(column->bounds, (capacity + 1) * (int64_t)sizeof(int32_t));
    if (bounds == NULL)
        return NO_MEMORY;
    if (column->bounds == NULL)
        bounds[0] = 0;
    column->bounds = bounds;
    return FILLED;
}

static int grow_entries(BuiltColumn *column, int64_t count) {
    if (count > MOST_ENTRIES - column->length)
        return TOO_LARGE;
    int64_t capacity = grown(column->capacity, column->length + count);
    int status = FILLED;
    if (column->kind == BITS || column->kind == NUMBERS)
        status = resize_data(column, capacity);
    else if (column->kind == STRINGS || column->kind == LISTS)
        status = resize_bounds(column, capacity);
    if (status == FILLED && column->validity != NULL)
        status = resize_validity(column, capacity);
    if (status == FILLED)
        column->capacity = capacity;
    return status;
}

static inline int make_entries(BuiltColumn *column, int64_t count) {
    return count <= column->capacity - column->length ? FILLED : grow_entries(column, count);
}

static int grow_bytes(BuiltColumn *column, int64_t size) {
    if (size > MOST_ENTRIES - column->bytes)
        return TOO_LARGE;
    int64_t capacity = grown(column->byte_capacity, column->bytes + size);
    uint8_t *data = resized(column->data, capacity);
    if (data == NULL)
        return NO_MEMORY;
    column->data = data;
    column->byte_capacity = capacity;
    return FILLED;
}

static inline int append_string(BuiltColumn *column, const uint8_t *data, int64_t size) {
    int status = make_entries(column, 1);
    if (status == FILLED && size > column->byte_capacity - column->bytes)
        status = grow_bytes(column, size);
    if (status != FILLED)
        return status;
    if (size > 0)
        memcpy(column->data + column->bytes, data, (size_t)size);
    column->bytes += size;
    column->bounds[++column->length] = (int32_t)column->bytes;
    return FILLED;
}

/* Append an entry of NUMBERS and return its address, or NULL if it can't be allocated. */
static inline uint8_t *next_number(BuiltColumn *column, int32_t width, int *status) {
    *status = make_entries(column, 1);
    return *status == FILLED ? column->data + column->length++ * width : NULL;
}

static inline int append_number(BuiltColumn *column, const void *number, int32_t width) {
    int status;
    uint8_t *place = next_number(column, width, &status);
    if (place != NULL)
        memcpy(place, number, (size_t)width);
    return status;
}

static void put_bit(uint8_t *bits, int64_t index, int bit) {
    uint8_t mask = (uint8_t)(1 << (index & 7));
    bits[index >> 3] = (uint8_t)(bit ? bits[index >> 3] | mask : bits[index >> 3] & ~mask);
}

static inline int append_bit(BuiltColumn *column, int bit) {
    int status = make_entries(column, 1);
    if (status == FILLED)
        put_bit(column->data, column->length++, bit);
    return status;
}

static inline int append_struct(BuiltColumn *column) {
    int status = make_entries(column, 1);
    column->length += status == FILLED;
    return status;
}

/* Append a list that ends at the current end of its child. */
static inline int append_list(BuiltColumn *column) {
    int status = make_entries(column, 1);
    if (status == FILLED)
        column->bounds[++column->length] = (int32_t)column[1].length;
    return status;
}

static int mark_null(BuiltColumn *column) {
    if (!column->is_nullable || column->kind == NULLS)
        return FILLED; /* its content does not matter, because its struct is null */
    if (column->validity == NULL && resize_validity(column, column->capacity) != FILLED)
        return NO_MEMORY;
    put_bit(column->validity, column->length, 0);
    column->nulls++;
    return FILLED;
}

/* Append a null to this column only, or a placeholder if the column can't have nulls. */
static int append_own_null(BuiltColumn *column) {
    int status = make_entries(column, 1);
    if (status == FILLED)
        status = mark_null(column);
    if (status != FILLED)
        return status;
    int64_t index = column->length++;
    if (column->kind == BITS)
        put_bit(column->data, index, 0);
    else if (column->kind == NUMBERS)
        memset(column->data + index * column->width, 0, (size_t)column->width);
    else if (column->kind == STRINGS || column->kind == LISTS)
        column->bounds[index + 1] = column->bounds[index];
    return FILLED;
}

static int append_null(BuiltColumn *columns, int32_t index) {
    int status = append_own_null(&columns[index]);
    if (columns[index].kind == STRUCTS)
        for (int32_t child = index + 1; status == FILLED && child < columns[index].end; child = columns[child].end)
            status = append_null(columns, child);
    return status;
}

static void cut_column_to(BuiltColumn *column, int64_t length) {
    for (int64_t i = length; column->nulls > 0 && i < column->length; i++)
        if (!(column->validity[i >> 3] >> (i & 7) & 1)) {
            put_bit(column->validity, i, 1);
            column->nulls--;
        }
    column->length = length;
    if (column->kind == STRINGS)
        column->bytes = column->bounds == NULL ? 0 : column->bounds[length];
}

/* Remove everything appended after the first `rows` rows. */
static void cut_rows(const ColumnTree *tree, int64_t rows) {
    BuiltColumn *columns = tree->columns;
    columns[0].target = rows;
    for (int32_t i = 0; i < tree->count; i++) {
        int64_t length = columns[i].target;
        for (int32_t child = i + 1; child < columns[i].end; child = columns[child].end)
            columns[child].target = columns[i].kind != LISTS ? length : columns[i].bounds == NULL ? 0 : columns[i].bounds[length];
        cut_column_to(&columns[i], length);
    }
}

static void drop_columns(ColumnTree *tree) {
    for (int32_t i = 0; i < tree->count; i++) {
        PyMem_RawFree(tree->columns[i].validity);
        PyMem_RawFree(tree->columns[i].data);
        PyMem_RawFree(tree->columns[i].bounds);
    }
    PyMem_RawFree(tree->columns);
    tree->columns = NULL;
    tree->count = 0;
}

#endif
