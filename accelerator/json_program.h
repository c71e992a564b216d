/* How each column of a layout is read from JSON: the program that values/json/program.py creates from a schema.
 *
 * There is a node for each column, in the same order. The names of a struct's fields and the symbols of an enum are
 * found by hash. Nodes and names are checked before anything is read, so that none can lead out of bounds.
 */
#ifndef KAFKA_NEXTGEN_JSON_PROGRAM_H
#define KAFKA_NEXTGEN_JSON_PROGRAM_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

#include "avro_program.h"
#include "column_builder_type.h"
#include "json_doubles.h"

typedef enum { /* as in program.py */
    JSON_NULL,
    JSON_BOOLEAN,
    JSON_INTEGER,   /* a: whether it is signed */
    JSON_FLOAT,
    JSON_STRING,
    JSON_BINARY,    /* a: hexadecimal, not base64; the same for the next one */
    JSON_FIXED,
    JSON_UUID,
    JSON_ENUM,      /* a: the index of its first name, b: their number; the same for a struct */
    JSON_DECIMAL,   /* a: scale, b: precision */
    JSON_DATE,      /* a: the units in a day, b: TAKES_INTEGERS if integers are accepted */
    JSON_TIME,      /* a: the units in a second, b: as for a date; the same for the next two */
    JSON_TIMESTAMP, /* b: also HAS_ZONE if it has a time zone */
    JSON_DURATION,
    JSON_STRUCT,
    JSON_LIST,      /* a: the number of items, 0 for any number */
    JSON_MAP,
    JSON_ENTRY,     /* the struct of a key and a value in a map */
    JSON_OPERATIONS
} JsonOperation;

#define MOST_FIXED_ITEMS (1 << 20) /* as in program.py; also the next one */
#define MOST_COST ((int64_t)1 << 40)

enum { HAS_ZONE = 1, TAKES_INTEGERS = 2 };

typedef struct {
    int64_t operation, a, b, is_nullable;
} JsonNode;

typedef struct {
    int64_t begin, size, number, is_plain; /* place in the blob; column or symbol; whether it has no JSON escapes */
} JsonName;

typedef struct {
    const JsonName *names;
    int64_t count;
    int32_t *slots; /* by hash: 1 + the index of a name; 0 if empty */
    uint64_t mask;
} NameSet;

typedef struct {
    const JsonNode *nodes;
    const JsonName *names;
    int64_t name_count;
    const uint8_t *blob;
    int64_t blob_size;
    const uint64_t *powers;
    NameSet *sets;    /* by column */
    int64_t *costs;   /* by column: the approximate size of a null, including the columns below */
    int32_t *slots;
    Py_buffer buffers[4];
} JsonProgram;

static uint64_t hash_of_name(const uint8_t *data, int64_t size) {
    uint64_t hash = (uint64_t)size, word;
    for (; size >= 8; data += 8, size -= 8) {
        memcpy(&word, data, sizeof word);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    for (word = 0; size > 0; size--)
        word = word << 8 | data[size - 1];
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 32;
}

static inline int is_same(const uint8_t *one, const uint8_t *other, int64_t size) {
    uint64_t a, b;
    for (; size >= 8; one += 8, other += 8, size -= 8) {
        memcpy(&a, one, sizeof a);
        memcpy(&b, other, sizeof b);
        if (a != b)
            return 0;
    }
    for (; size > 0; size--)
        if (one[size - 1] != other[size - 1])
            return 0;
    return 1;
}

/* The index of a name in its set, or -1. */
static inline int64_t find_name(const JsonProgram *program, const NameSet *set, Entry entry) {
    for (uint64_t slot = hash_of_name(entry.data, entry.size);; slot++) {
        int32_t index = set->slots[slot & set->mask] - 1;
        if (index < 0)
            return -1;
        const JsonName *name = &set->names[index];
        if (name->size == entry.size && is_same(program->blob + name->begin, entry.data, entry.size))
            return index;
    }
}

static int64_t slots_for(int64_t count) {
    int64_t slots = 2;
    while (slots < count * 2)
        slots *= 2;
    return slots;
}

static void fill_set(const JsonProgram *program, NameSet *set) {
    for (int64_t i = 0; i < set->count; i++) {
        uint64_t slot = hash_of_name(program->blob + set->names[i].begin, set->names[i].size);
        while (set->slots[slot & set->mask] != 0)
            slot++;
        set->slots[slot & set->mask] = (int32_t)i + 1;
    }
}

static int has_names(const JsonNode *node) { return node->operation == JSON_STRUCT || node->operation == JSON_ENUM; }

static int make_sets(JsonProgram *program, int32_t columns) {
    int64_t total = 0;
    for (int32_t i = 0; i < columns; i++)
        total += has_names(&program->nodes[i]) ? slots_for(program->nodes[i].b) : 0;
    program->sets = PyMem_RawCalloc((size_t)columns, sizeof(NameSet));
    program->slots = PyMem_RawCalloc((size_t)total + 1, sizeof(int32_t));
    if (program->sets == NULL || program->slots == NULL)
        return 0;
    int32_t *slots = program->slots;
    for (int32_t i = 0; i < columns; i++) {
        const JsonNode *node = &program->nodes[i];
        if (!has_names(node))
            continue;
        int64_t size = slots_for(node->b);
        program->sets[i] = (NameSet){program->names + node->a, node->b, slots, (uint64_t)size - 1};
        fill_set(program, &program->sets[i]);
        slots += size;
    }
    return 1;
}

static int make_costs(JsonProgram *program, const ColumnTree *tree) {
    program->costs = PyMem_RawCalloc((size_t)tree->count, sizeof(int64_t));
    if (program->costs == NULL)
        return 0;
    for (int32_t i = tree->count - 1; i >= 0; i--) {
        program->costs[i] = 8 + tree->columns[i].width;
        for (int32_t child = i + 1; tree->columns[i].kind == STRUCTS && child < tree->columns[i].end; child = tree->columns[child].end)
            program->costs[i] += program->costs[child];
        if (program->nodes[i].operation == JSON_LIST)
            program->costs[i] += program->nodes[i].a * program->costs[i + 1];
        program->costs[i] = Py_MIN(program->costs[i], MOST_COST);
    }
    return 1;
}

/* ---- validation */

static int are_names_sound(const JsonProgram *program) {
    for (int64_t i = 0; i < program->name_count; i++)
        if (!is_within(program->names[i].begin, program->names[i].size, program->blob_size) || program->names[i].size > INT32_MAX)
            return 0;
    return 1;
}

/* Whether there is a name for each child, in order. */
static int is_struct_sound(const JsonProgram *program, const ColumnTree *tree, int32_t index) {
    const JsonNode *node = &program->nodes[index];
    int32_t child = index + 1;
    for (int64_t i = node->a; i < node->a + node->b; i++, child = tree->columns[child].end)
        if (child >= tree->columns[index].end || program->names[i].number != child)
            return 0;
    return child == tree->columns[index].end;
}

static int is_enum_sound(const JsonProgram *program, const JsonNode *node) {
    for (int64_t i = 0; i < node->b; i++)
        if (program->names[node->a + i].number != i)
            return 0;
    return 1;
}

static int is_map_sound(const JsonProgram *program, const ColumnTree *tree, int32_t index) {
    int32_t entry = index + 1;
    return entry < tree->count && program->nodes[entry].operation == JSON_ENTRY && tree->columns[entry].kind == STRUCTS &&
           children_of(tree, entry) == 2 && program->nodes[entry + 1].operation == JSON_STRING;
}

static int is_time_sound(const BuiltColumn *column, int64_t unit) {
    return column->kind == NUMBERS && (column->width == 4 || column->width == 8) && unit >= 1 && unit <= 1000000000;
}

static int is_integer_width(const BuiltColumn *column) {
    int width = column->width;
    return column->kind == NUMBERS && (width == 1 || width == 2 || width == 4 || width == 8);
}

static int is_decimal_sound(const BuiltColumn *column, const JsonNode *node) {
    return column->kind == NUMBERS && (column->width == 16 || column->width == 32) && node->b >= 1 &&
           node->b <= (column->width == 16 ? 38 : 76) && node->a >= -1000 && node->a <= 1000;
}

static int is_node_sound(const JsonProgram *program, const ColumnTree *tree, int32_t index) {
    const JsonNode *node = &program->nodes[index];
    const BuiltColumn *column = &tree->columns[index];
    if (has_names(node) && (!is_within(node->a, node->b, program->name_count) || node->b > INT32_MAX / 4))
        return 0;
    switch (node->operation) {
    case JSON_NULL: return column->kind == NULLS;
    case JSON_BOOLEAN: return column->kind == BITS;
    case JSON_INTEGER: return is_integer_width(column) && (node->a == 0 || node->a == 1);
    case JSON_FLOAT: return is_time_sound(column, 1); /* four or eight bytes */
    case JSON_STRING: case JSON_BINARY: return column->kind == STRINGS;
    case JSON_FIXED: return column->kind == NUMBERS;
    case JSON_UUID: return is_kind(tree, index, NUMBERS, 16);
    case JSON_ENUM: return is_kind(tree, index, NUMBERS, 4) && is_enum_sound(program, node);
    case JSON_DECIMAL: return is_decimal_sound(column, node);
    case JSON_DATE: case JSON_TIME: return is_time_sound(column, node->a);
    case JSON_TIMESTAMP: case JSON_DURATION: return column->width == 8 && is_time_sound(column, node->a);
    case JSON_STRUCT: return column->kind == STRUCTS && is_struct_sound(program, tree, index);
    case JSON_LIST: return column->kind == LISTS && node->a >= 0 && node->a <= MOST_FIXED_ITEMS;
    case JSON_MAP: return column->kind == LISTS && is_map_sound(program, tree, index);
    case JSON_ENTRY: return column->kind == STRUCTS && index > 0 && program->nodes[index - 1].operation == JSON_MAP;
    default: return 0;
    }
}

static int is_json_program_sound(const JsonProgram *program, const ColumnTree *tree) {
    const Py_buffer *buffers = program->buffers;
    if (!is_aligned(&buffers[0]) || !is_aligned(&buffers[1]) || !is_aligned(&buffers[3]) || !are_names_sound(program) ||
        buffers[0].len != tree->count * (Py_ssize_t)sizeof(JsonNode) || buffers[3].len != POWER_WORDS * (Py_ssize_t)sizeof(uint64_t))
        return 0;
    for (int32_t i = 0; i < tree->count; i++)
        if (!is_node_sound(program, tree, i) && !(i == 0 && program->nodes[0].operation == JSON_ENTRY))
            return 0;
    return 1;
}

static void drop_json_program(JsonProgram *program) {
    for (int i = 0; i < 4; i++)
        PyBuffer_Release(&program->buffers[i]);
    PyMem_RawFree(program->sets);
    PyMem_RawFree(program->costs);
    PyMem_RawFree(program->slots);
}

/* Set up a program from its buffers: nodes, names, blob and powers. Returns 0 with an exception set if it is not
 * valid. */
static int take_json_program(JsonProgram *program, const ColumnTree *tree) {
    program->nodes = program->buffers[0].buf;
    program->names = program->buffers[1].buf;
    program->name_count = program->buffers[1].len / (Py_ssize_t)sizeof(JsonName);
    program->blob = program->buffers[2].buf;
    program->blob_size = program->buffers[2].len;
    program->powers = program->buffers[3].buf;
    if (!is_json_program_sound(program, tree)) {
        PyErr_SetString(PyExc_ValueError, "the program does not fit the columns");
        return 0;
    }
    if (!make_sets(program, tree->count) || !make_costs(program, tree))
        return PyErr_NoMemory() != NULL;
    return 1;
}

#endif
