/* Reads JSON arrays and objects into columns: lists, maps and structs. */
#ifndef KAFKA_NEXTGEN_JSON_NESTED_H
#define KAFKA_NEXTGEN_JSON_NESTED_H

#include "json_leaves.h"
#include "json_skip.h"

static int read_json_value(JsonRun *run, int32_t index);

/* ---- lists and maps */

static int read_json_list(JsonRun *run, int32_t index) {
    JsonReader *reader = &run->reader;
    int is_more, status = *reader->cursor.at == '[' ? begin_members(reader, ']', &is_more) : JSON_WRONG_TYPE;
    if (status != FILLED)
        return status;
    int64_t size = run->program->nodes[index].a, count = 0;
    run->lists++;
    for (; status == FILLED && is_more; count++) {
        status = read_json_value(run, index + 1);
        if (status == FILLED)
            status = next_member(&reader->cursor, ']', &is_more);
    }
    run->lists--;
    reader->depth--;
    if (status == FILLED && size > 0 && count != size)
        return JSON_OUT_OF_RANGE;
    return status == FILLED ? append_list(&run->columns[index]) : status;
}

static int read_json_entry(JsonRun *run, int32_t index) {
    Entry key;
    int status = append_struct(&run->columns[index]);
    if (status == FILLED)
        status = read_json_text(&run->reader, &key);
    if (status == FILLED)
        status = append_string(&run->columns[index + 1], key.data, key.size);
    if (status == FILLED)
        status = take_colon(&run->reader.cursor);
    return status == FILLED ? read_json_value(run, index + 2) : status;
}

static int read_json_map(JsonRun *run, int32_t index) {
    JsonReader *reader = &run->reader;
    int is_more, status = *reader->cursor.at == '{' ? begin_members(reader, '}', &is_more) : JSON_WRONG_TYPE;
    if (status != FILLED)
        return status;
    run->lists++;
    while (status == FILLED && is_more) {
        status = read_json_entry(run, index + 1);
        if (status == FILLED)
            status = next_member(&reader->cursor, '}', &is_more);
    }
    run->lists--;
    reader->depth--;
    return status == FILLED ? append_list(&run->columns[index]) : status;
}

/* ---- objects with fields */

/* Take the expected name if it is at the cursor. Compares bytes, without parsing a string. */
static inline int take_expected(JsonRun *run, const JsonName *name) {
    Cursor *cursor = &run->reader.cursor;
    if (!name->is_plain || cursor->end - cursor->at < name->size + 2 || cursor->at[0] != '"' || cursor->at[name->size + 1] != '"' ||
        !is_same(cursor->at + 1, run->program->blob + name->begin, name->size))
        return 0;
    cursor->at += name->size + 2;
    return 1;
}

/* Read the name at the cursor and the colon after it. If the name is in the set, `next` becomes the index after it. */
static inline int take_name(JsonRun *run, const NameSet *set, int64_t *next, const JsonName **name) {
    *name = NULL;
    if (*next < set->count && take_expected(run, &set->names[*next])) {
        *name = &set->names[(*next)++];
    } else {
        Entry entry;
        int status = read_json_text(&run->reader, &entry);
        if (status != FILLED)
            return status;
        int64_t index = find_name(run->program, set, entry);
        if (index >= 0) {
            *name = &set->names[index];
            *next = index + 1;
        }
    }
    return take_colon(&run->reader.cursor);
}

static inline int read_json_field(JsonRun *run, const NameSet *set, int64_t *next, int64_t object, int64_t *found) {
    const JsonName *name;
    int status = take_name(run, set, next, &name);
    if (status != FILLED)
        return status;
    if (name == NULL)
        return skip_json_value(&run->reader);
    if (run->marks[name->number] == object)
        return JSON_AGAIN;
    run->marks[name->number] = object;
    ++*found;
    return read_json_value(run, (int32_t)name->number);
}

static int put_others(JsonRun *run, const NameSet *set, int64_t object) {
    int status = FILLED;
    for (int64_t i = 0; status == FILLED && i < set->count; i++)
        if (run->marks[set->names[i].number] != object)
            status = put_json_missing(run, (int32_t)set->names[i].number);
    return status;
}

/* Read the fields in the order in which they occur, in one pass. Each field is marked with the number of its object. */
static int read_json_fields(JsonRun *run, const NameSet *set, int is_more) {
    int64_t object = ++run->objects, next = 0, found = 0;
    int status = FILLED;
    while (status == FILLED && is_more) {
        status = read_json_field(run, set, &next, object, &found);
        if (status == FILLED)
            status = next_member(&run->reader.cursor, '}', &is_more);
    }
    return status == FILLED && found < set->count ? put_others(run, set, object) : status;
}

/* Mark each field with -1 minus the position of its last value, or with 0 if it is absent. */
static int mark_fields(JsonRun *run, const NameSet *set, int is_more) {
    int64_t next = 0;
    int status = FILLED;
    for (int64_t i = 0; i < set->count; i++)
        run->marks[set->names[i].number] = 0;
    while (status == FILLED && is_more) {
        const JsonName *name;
        status = take_name(run, set, &next, &name);
        if (status == FILLED && name != NULL)
            run->marks[name->number] = -1 - (run->reader.cursor.at - run->begin);
        if (status == FILLED)
            status = skip_json_value(&run->reader);
        if (status == FILLED)
            status = next_member(&run->reader.cursor, '}', &is_more);
    }
    return status;
}

/* Read the marked fields in the order of their columns. */
static int read_marked(JsonRun *run, const NameSet *set) {
    const uint8_t *behind = run->reader.cursor.at;
    int status = FILLED;
    for (int64_t i = 0; status == FILLED && i < set->count; i++) {
        int32_t column = (int32_t)set->names[i].number;
        int64_t mark = run->marks[column];
        run->reader.cursor.at = run->begin + (-1 - mark);
        status = mark < 0 ? read_json_value(run, column) : put_json_missing(run, column);
    }
    run->reader.cursor.at = behind;
    return status;
}

static int read_json_object(JsonRun *run, int32_t index) {
    const NameSet *set = &run->program->sets[index];
    int is_more, status = *run->reader.cursor.at == '{' ? begin_members(&run->reader, '}', &is_more) : JSON_WRONG_TYPE;
    if (status == FILLED)
        status = append_struct(&run->columns[index]);
    if (status != FILLED)
        return status;
    if (!run->is_careful) {
        status = read_json_fields(run, set, is_more);
    } else {
        status = mark_fields(run, set, is_more);
        if (status == FILLED)
            status = read_marked(run, set);
    }
    run->reader.depth--;
    return status;
}

#endif
