/* `decode_plain`: a whole Fetch answer to columns, if it is what nearly all small ones are.
 *
 *     answer:    throttle time, error, session, topics, tags
 *     topic:     id, partitions, tags
 *     partition: number, error, high watermark, last stable offset, log start offset, aborted transactions, preferred
 *                replica, records, tags
 *
 * That is: version 13 or later, records of partitions that were asked for, each of them once; no errors, no tags, nothing
 * aborted, nobody preferred, nothing compressed, and all of it sound. Of anything else it is only said that it is odd:
 * the readers in Python (wire/plain_fetch.py, wire/fetch_response.py) then read the same bytes from the beginning.
 */
#ifndef KAFKA_NEXTGEN_PLAIN_H
#define KAFKA_NEXTGEN_PLAIN_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "answer_fields.h"
#include "column_objects.h"
#include "decode.h"
#include "record_fields.h"

/* What is made of a partition: the fields of fetching.DecodedPartition. */
enum {
    DECODED_PARTITION, DECODED_ERROR, DECODED_COLUMNS, DECODED_CORRUPT, DECODED_HIGH_WATERMARK, DECODED_LAST_STABLE,
    DECODED_LOG_START, DECODED_REPLICA, DECODED_DIVERGING, DECODED_BYTES, DECODED_FIELDS
};

/* What is known to whoever asked, borrowed all of it, and what was found. */
typedef struct {
    PyObject *places; /* by topic id and number: the partition */
    PyObject *wanted; /* by partition: something with an offset, from which on it was asked for */
    PyObject *offset; /* what that is called there */
    PyTypeObject *made;
    ColumnTypes types;
    int check_crc;
    int64_t left_bytes; /* what further columns may take */
    PyObject *seen;     /* a set of the partitions that were answered */
    PyObject *decoded;  /* a list */
} Plain;

/* What a mapping has for a key, a reference that is given up; NULL if that is nothing, or with an exception set. */
static PyObject *find_in(PyObject *mapping, PyObject *key) {
    PyObject *found = key == NULL ? NULL : PyObject_GetItem(mapping, key);
    Py_XDECREF(key);
    if (found == NULL && PyErr_ExceptionMatches(PyExc_KeyError))
        PyErr_Clear();
    return found;
}

/* 1 and the offset a partition was asked for from; 0 if it was not, -1 with an exception set. */
static int find_offset(const Plain *plain, PyObject *partition, int64_t *offset) {
    PyObject *position = find_in(plain->wanted, Py_NewRef(partition));
    PyObject *number = position == NULL ? NULL : PyObject_GetAttr(position, plain->offset);
    Py_XDECREF(position);
    if (number == NULL)
        return PyErr_Occurred() ? -1 : 0;
    *offset = PyLong_AsLongLong(number);
    Py_DECREF(number);
    return *offset == -1 && PyErr_Occurred() ? -1 : 1;
}

/* Whether a type is that of named tuples of so many fields; 0 with an exception set if not. */
static int is_named_tuple(PyTypeObject *type, Py_ssize_t count) {
    PyObject *names = PyObject_GetAttrString((PyObject *)type, "_fields");
    if (names == NULL && !PyErr_ExceptionMatches(PyExc_AttributeError))
        return 0;
    int fits = names != NULL && PyTuple_Check(names) && PyTuple_GET_SIZE(names) == count &&
               PyType_IsSubtype(type, &PyTuple_Type);
    Py_XDECREF(names);
    if (!fits)
        PyErr_Format(PyExc_TypeError, "what is made of a partition is a named tuple of %zd fields", count);
    return fits;
}

/* A tuple of a type that is one, of new references, which are given up. */
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

/* Columns of batches that were checked; None if not all is sound. `end` is where the check came to. */
static PyObject *decode_checked(Plain *plain, Work *work, Walk walk, const Walk *end, PyObject *partition) {
    Buffers buffers = {{NULL}};
    PyObject *columns = NULL;
    int done = begin_work(work, &walk) ? note_batches(work, walk) == SOUND : -1;
    if (done == 1)
        done = fill_buffers(work, &buffers);
    if (done == 1) {
        int64_t next_offset = end->log_offset > walk.fetch_offset ? end->log_offset : walk.fetch_offset;
        ColumnFacts facts = {partition, next_offset, (int32_t)work->payload_bytes, end->end_epoch,
                             next_offset == walk.fetch_offset, size_of_buffers(&buffers)};
        columns = columns_object(&buffers, &facts, &plain->types);
        plain->left_bytes -= facts.nbytes;
    }
    drop_buffers(&buffers);
    return done == 0 ? Py_NewRef(Py_None) : columns;
}

/* Columns of a partition's batches; None if they are compressed, or not all is sound. There are less than 16 KiB of them,
 * for which the GIL need not be released.
 */
static PyObject *decode_batches(Plain *plain, Walk walk, PyObject *partition) {
    Walk begin = walk;
    Work work = {0};
    Py_ssize_t compressed = 0;
    if (begins_compressed(&walk) || check_batches(&walk, plain->check_crc, &compressed) == ODD || compressed > 0)
        Py_RETURN_NONE;
    PyObject *columns = decode_checked(plain, &work, begin, &walk, partition);
    drop_work(&work);
    return columns;
}

/* Keep what was answered; 1, or -1 with an exception set. Takes the reference to the columns. */
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

/* Decode a partition; 1, 0 if it is odd, -1 with an exception set. */
static int take_part(Plain *plain, const Part *part, PyObject *partition) {
    int64_t offset;
    int found = find_offset(plain, partition, &offset);
    if (found != 1 || plain->left_bytes <= 0)
        return found == 1 ? 0 : found;
    if (PySet_Add(plain->seen, partition) < 0)
        return -1;
    Walk walk = {part->records, part->end, offset, 0, NULL, NULL, -1};
    PyObject *columns = decode_batches(plain, walk, partition);
    if (columns != Py_None)
        return columns == NULL ? -1 : keep_part(plain, part, partition, columns);
    Py_DECREF(columns);
    return 0;
}

/* Read a partition and decode it; answers as `take_part`. */
static int next_part(Plain *plain, Cursor *cursor, PyObject *by_number) {
    Part part;
    if (!read_part(cursor, &part))
        return 0;
    PyObject *partition = find_in(by_number, PyLong_FromLong(part.number));
    if (partition == NULL)
        return PyErr_Occurred() ? -1 : 0;
    int done = take_part(plain, &part, partition);
    Py_DECREF(partition);
    return done;
}

/* Decode the partitions of a topic; answers as `take_part`. */
static int take_parts(Plain *plain, Cursor *cursor, PyObject *by_number) {
    int done = 1, count = read_count(cursor);
    for (int left = count; left > 0 && done == 1; left--)
        done = next_part(plain, cursor, by_number);
    return done == 1 ? count >= 0 && read_no_tags(cursor) : done;
}

static int take_topic(Plain *plain, Cursor *cursor) {
    if (!left_of(cursor, TOPIC_ID))
        return 0;
    PyObject *by_number = find_in(plain->places, PyBytes_FromStringAndSize((const char *)cursor->at, TOPIC_ID));
    if (by_number == NULL)
        return PyErr_Occurred() ? -1 : 0;
    cursor->at += TOPIC_ID;
    int done = take_parts(plain, cursor, by_number);
    Py_DECREF(by_number);
    return done;
}

/* Decode all topics behind the head of an answer, to its end; answers as `take_part`. */
static int take_topics(Plain *plain, Cursor *cursor) {
    int done = 1, count = read_count(cursor);
    for (int left = count; left > 0 && done == 1; left--)
        done = take_topic(plain, cursor);
    if (done != 1)
        return done;
    int is_whole = count >= 0 && read_no_tags(cursor) && cursor->at == cursor->end;
    return is_whole && PySet_GET_SIZE(plain->seen) == PyList_GET_SIZE(plain->decoded);
}

static PyObject *decode_answer(Plain *plain, Cursor *cursor) {
    const uint8_t *head = cursor->at;
    if (!left_of(cursor, ANSWER_HEAD) || head[4] != 0 || head[5] != 0)
        Py_RETURN_NONE; /* cut short, or an error */
    cursor->at += ANSWER_HEAD;
    int done = take_topics(plain, cursor);
    if (done != 1)
        return done == 0 ? Py_NewRef(Py_None) : NULL;
    return Py_BuildValue("iiO", (int)int32_at(head), (int)int32_at(head + 6), plain->decoded);
}

PyDoc_STRVAR(decode_plain_doc,
             "decode_plain(body, places, wanted, most_bytes, check_crc, made, types, offset='offset')\n--\n\n"
             "Decode a whole Fetch answer of version 13 or later, without its header. places has partitions by topic id\n"
             "and number, wanted by partition what has the offset from which on it was asked for, as an attribute that is\n"
             "called so. If columns take more than most_bytes, that is odd. made is the type of what is made of a partition, a named tuple; types are\n"
             "those of columns. Answers with throttle time, session id and a list; or None if anything is odd.");

static PyObject *decode_plain(PyObject *module, PyObject *args) {
    Py_buffer body;
    Plain plain = {0};
    const ModuleState *state = PyModule_GetState(module);
    long long most_bytes;
    PyObject *answer = NULL;
    plain.offset = state->names.offset;
    if (!PyArg_ParseTuple(args, "y*OOLpO!(OOO)|U:decode_plain", &body, &plain.places, &plain.wanted, &most_bytes,
                          &plain.check_crc, &PyType_Type, &plain.made, &plain.types.columns, &plain.types.strings,
                          &plain.types.headers, &plain.offset))
        return NULL;
    Cursor cursor = {body.buf, (const uint8_t *)body.buf + body.len};
    plain.types.names = &state->names;
    plain.left_bytes = most_bytes;
    if (is_named_tuple(plain.made, DECODED_FIELDS) && (plain.seen = PySet_New(NULL)) != NULL &&
        (plain.decoded = PyList_New(0)) != NULL)
        answer = decode_answer(&plain, &cursor);
    Py_XDECREF(plain.seen);
    Py_XDECREF(plain.decoded);
    PyBuffer_Release(&body);
    return answer;
}

#endif
