/* Decodes a whole Fetch answer into columns, if it is plain, as nearly all small ones are.
 *
 *     answer:    throttle time, error, session, topics, tags
 *     topic:     id, partitions, tags
 *     partition: number, error, high watermark, last stable offset, log start offset, aborted transactions, preferred
 *                replica, records, tags
 *
 * A plain answer has version 13 or later and belongs to the session of the request. It has records for each of its
 * partitions, or has no partitions. Each partition was requested, and occurs once. The answer has no throttle time,
 * errors, tags, aborted transactions or preferred replicas; nothing is compressed, and everything is valid. Anything
 * else is "odd": the reader in Python (requests/fetch.py) then reads the same bytes from the beginning.
 */
#ifndef KAFKA_NEXTGEN_STEADY_ANSWER_H
#define KAFKA_NEXTGEN_STEADY_ANSWER_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "arrived_columns.h"
#include "decode.h"
#include "record_fields.h"
#include "steady_places.h"

#define MOST_ANSWER 16384 /* bytes; a larger answer is odd */
#define MOST_MOVES (MOST_ANSWER / PARTITION_HEAD + 1)

/* The result for a partition: the fields of fetching.DecodedPartition. */
enum {
    DECODED_PARTITION, DECODED_ERROR, DECODED_COLUMNS, DECODED_CORRUPT, DECODED_HIGH_WATERMARK, DECODED_LAST_STABLE,
    DECODED_LOG_START, DECODED_REPLICA, DECODED_DIVERGING, DECODED_BYTES, DECODED_FIELDS
};

/* An answered partition, and its next position. */
typedef struct {
    Place *place;
    int64_t next_offset;
    int32_t end_epoch; /* -1 if it is unknown */
} Move;

typedef struct {
    Move of[MOST_MOVES];
    int count;
} Moves;

/* The inputs for reading an answer, and the results. Functions that take a Plain return 1, or 0 if the answer is odd,
 * or -1 with an exception set.
 */
typedef struct {
    const Places *places;
    uint64_t number; /* the number of the answer */
    PyTypeObject *made, *columns; /* the types of results and of their columns */
    ColumnTypes types;
    int check_crc;
    Moves *moves;
    PyObject *decoded; /* a list */
} Plain;

/* Whether a type is a named tuple with this number of fields; 0 with an exception set if not. */
static int is_named_tuple(PyTypeObject *type, Py_ssize_t count) {
    PyObject *names = PyObject_GetAttrString((PyObject *)type, "_fields");
    if (names == NULL && !PyErr_ExceptionMatches(PyExc_AttributeError))
        return 0;
    int fits = names != NULL && PyTuple_Check(names) && PyTuple_GET_SIZE(names) == count &&
               PyType_IsSubtype(type, &PyTuple_Type);
    Py_XDECREF(names);
    if (!fits)
        PyErr_Format(PyExc_TypeError, "the type for a partition must be a named tuple with %zd fields", count);
    return fits;
}

/* Create a tuple of a tuple type. Takes the references to the fields. */
static PyObject *fields_of(PyTypeObject *type, PyObject **fields, Py_ssize_t count) {
    PyObject *tuple = type->tp_alloc(type, count);
    for (Py_ssize_t i = 0; i < count; i++) {
        if (fields[i] == NULL)
            Py_CLEAR(tuple);
        if (tuple != NULL)
            PyTuple_SET_ITEM(tuple, i, fields[i]);
        else
            Py_XDECREF(fields[i]);
    }
    if (tuple != NULL)
        forget_hash(tuple);
    return tuple;
}

/* Decode checked batches into columns; None if they are odd. `end` is the position that the check reached. */
static PyObject *decode_checked(const Plain *plain, Work *work, Walk walk, const Walk *end, PyObject *partition) {
    Buffers buffers = {{NULL}};
    PyObject *columns = NULL;
    int done = begin_work(work, &walk) ? note_batches(work, walk) == SOUND : -1;
    if (done == 1)
        done = fill_buffers(work, &buffers);
    if (done == 1 && size_of_buffer(buffers.of[OFFSETS]) == 0)
        done = 0; /* only transaction markers, or batches whose records were compacted */
    if (done == 1) {
        ColumnFacts facts = {partition, end->log_offset, (int32_t)work->payload_bytes, end->end_epoch, 0,
                             size_of_buffers(&buffers)};
        columns = new_arrived_columns(plain->columns, &buffers, &facts, &plain->types);
    }
    drop_buffers(&buffers);
    return done == 0 ? Py_NewRef(Py_None) : columns;
}

/* Check and decode a partition's batches; None if they are odd. The GIL is not released, because they have less than 16
 * KiB. */
static PyObject *decode_batches(const Plain *plain, Walk *walk, PyObject *partition) {
    Walk begin = *walk;
    Work work = {0};
    Py_ssize_t compressed = 0;
    if (begins_compressed(walk) || check_batches(walk, plain->check_crc, &compressed) == ODD || compressed > 0 ||
        walk->log_offset <= begin.fetch_offset)
        Py_RETURN_NONE;
    PyObject *columns = decode_checked(plain, &work, begin, walk, partition);
    drop_work(&work);
    return columns;
}

/* Add a partition's result; returns 1, or -1 with an exception set. Takes the reference to the columns. */
static int keep_part(const Plain *plain, const Part *part, PyObject *partition, PyObject *columns) {
    PyObject *fields[DECODED_FIELDS];
    fields[DECODED_PARTITION] = Py_NewRef(partition);
    fields[DECODED_ERROR] = PyLong_FromLong(0);
    fields[DECODED_COLUMNS] = columns;
    fields[DECODED_CORRUPT] = Py_NewRef(Py_None);
    fields[DECODED_HIGH_WATERMARK] = PyLong_FromLongLong(part->high_watermark);
    fields[DECODED_LAST_STABLE] = PyLong_FromLongLong(part->last_stable);
    fields[DECODED_LOG_START] = PyLong_FromLongLong(part->log_start);
    fields[DECODED_REPLICA] = PyLong_FromLong(-1);
    fields[DECODED_DIVERGING] = Py_NewRef(Py_None);
    fields[DECODED_BYTES] = PyLong_FromSsize_t(part->end - part->records);
    PyObject *made = fields_of(plain->made, fields, DECODED_FIELDS);
    int status = made == NULL || PyList_Append(plain->decoded, made) < 0 ? -1 : 1;
    Py_XDECREF(made);
    return status;
}

static int take_part(const Plain *plain, const Part *part, Place *place) {
    Walk walk = {part->records, part->end, place->offset, 0, NULL, NULL, -1};
    PyObject *columns = decode_batches(plain, &walk, place->partition);
    if (columns == NULL || columns == Py_None) {
        Py_XDECREF(columns);
        return columns == NULL ? -1 : 0;
    }
    place->answered_in = plain->number;
    plain->moves->of[plain->moves->count++] = (Move){place, walk.log_offset, walk.end_epoch};
    return keep_part(plain, part, place->partition, columns);
}

static int take_next_part(const Plain *plain, Cursor *cursor, const uint8_t *topic) {
    Part part;
    if (!read_part(cursor, &part))
        return 0;
    Place *place = find_place(plain->places, topic, part.number);
    return place != NULL && place->answered_in != plain->number ? take_part(plain, &part, place) : 0;
}

/* Whether an earlier topic of the answer is the same: if so, the next request would contain it twice. */
static int is_topic_answered(const Moves *moves, const uint8_t *topic) {
    for (int i = 0; i < moves->count; i++)
        if (memcmp(moves->of[i].place->topic, topic, TOPIC_ID) == 0)
            return 1;
    return 0;
}

static int take_topic(const Plain *plain, Cursor *cursor) {
    const uint8_t *topic = cursor->at;
    if (!left_of(cursor, TOPIC_ID) || is_topic_answered(plain->moves, topic))
        return 0;
    cursor->at += TOPIC_ID;
    int done = 1, count = read_count(cursor);
    for (int left = count; left > 0 && done == 1; left--)
        done = take_next_part(plain, cursor, topic);
    return done == 1 ? count > 0 && read_no_tags(cursor) : done; /* an empty topic may be one that was not requested */
}

/* Decode an answer in this session, without its header. */
static int take_answer(const Plain *plain, Cursor cursor, int32_t session_id) {
    static const uint8_t nothing_odd[6]; /* no throttle time, no error */
    if (cursor.end - cursor.at > MOST_ANSWER || !left_of(&cursor, ANSWER_HEAD) ||
        memcmp(cursor.at, nothing_odd, sizeof nothing_odd) != 0 ||
        int32_at(cursor.at + sizeof nothing_odd) != session_id)
        return 0;
    cursor.at += ANSWER_HEAD;
    int done = 1, count = read_count(&cursor);
    for (int left = count; left > 0 && done == 1; left--)
        done = take_topic(plain, &cursor);
    return done == 1 ? count >= 0 && read_no_tags(&cursor) && cursor.at == cursor.end : done;
}

#endif
