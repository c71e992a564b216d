/* RecordFields: the base class of types.Record if this extension is used: a tuple whose fields have names.
 *
 * Each access to a field of a named tuple calls `_tuplegetter`. These fields are members at fixed offsets, as with
 * `__slots__`, and Python 3.11 and later read them without calling anything. In a loop that does little else, those
 * calls would take much of the time.
 *
 * So no instance may have fewer fields. Only the functions in this file create instances: `tuple.__new__` refuses a
 * type that has its own `__new__` in C, and no other tuple can become an instance by assigning `__class__`, because
 * instances of this type are slightly larger.
 */
#ifndef KAFKA_NEXTGEN_RECORD_FIELDS_H
#define KAFKA_NEXTGEN_RECORD_FIELDS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>
#include <structmember.h>

/* The fields of a record, in the order of the type. */
enum { TOPIC, PARTITION, OFFSET, TIMESTAMP, TIMESTAMP_TYPE, KEY, VALUE, HEADERS, LEADER_EPOCH, FIELD_COUNT };

#define FIELD(name, number) \
    {name, T_OBJECT_EX, offsetof(PyTupleObject, ob_item) + (number) * sizeof(PyObject *), READONLY, NULL}

static PyMemberDef field_members[] = {
    FIELD("topic", TOPIC),
    FIELD("partition", PARTITION),
    FIELD("offset", OFFSET),
    FIELD("timestamp", TIMESTAMP),
    FIELD("timestamp_type", TIMESTAMP_TYPE),
    FIELD("key", KEY),
    FIELD("value", VALUE),
    FIELD("headers", HEADERS),
    FIELD("leader_epoch", LEADER_EPOCH),
    {NULL, 0, 0, 0, NULL},
};

/* Have the hash computed when it is needed. */
static void forget_hash(PyObject *record) {
#if PY_VERSION_HEX >= 0x030E0000
    ((PyTupleObject *)record)->ob_hash = -1;
#else
    (void)record; /* this version of Python does not cache hashes of tuples */
#endif
}

/* Create a record of these fields, which are borrowed references. */
static PyObject *new_of_fields(PyTypeObject *type, PyObject *const *fields) {
    PyObject *record = type->tp_alloc(type, FIELD_COUNT);
    if (record == NULL)
        return NULL;
    for (int i = 0; i < FIELD_COUNT; i++)
        PyTuple_SET_ITEM(record, i, Py_NewRef(fields[i]));
    forget_hash(record);
    return record;
}

static PyObject *fields_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static char *names[] = {"topic", "partition", "offset",  "timestamp",    "timestamp_type",
                            "key",   "value",     "headers", "leader_epoch", NULL};
    PyObject *of[FIELD_COUNT] = {NULL}, *record = NULL;
    PyObject *no_headers = PyTuple_New(0), *no_epoch = PyLong_FromLong(-1);
    of[HEADERS] = no_headers;
    of[LEADER_EPOCH] = no_epoch;
    if (no_headers != NULL && no_epoch != NULL &&
        PyArg_ParseTupleAndKeywords(args, keywords, "OOOOOOO|OO:Record", names, &of[TOPIC], &of[PARTITION], &of[OFFSET],
                                    &of[TIMESTAMP], &of[TIMESTAMP_TYPE], &of[KEY], &of[VALUE], &of[HEADERS],
                                    &of[LEADER_EPOCH]))
        record = new_of_fields(type, of);
    Py_XDECREF(no_headers);
    Py_XDECREF(no_epoch);
    return record;
}

PyDoc_STRVAR(fields_make_doc, "_make(iterable)\n--\n\nCreate a record from all its fields, in order.");

static PyObject *fields_make(PyObject *type, PyObject *iterable) {
    PyObject *of = PySequence_Tuple(iterable), *record = NULL;
    if (of == NULL)
        return NULL;
    if (PyTuple_GET_SIZE(of) == FIELD_COUNT)
        record = new_of_fields((PyTypeObject *)type, &PyTuple_GET_ITEM(of, 0));
    else
        PyErr_Format(PyExc_TypeError, "Expected %d arguments, got %zd", FIELD_COUNT, PyTuple_GET_SIZE(of));
    Py_DECREF(of);
    return record;
}

PyDoc_STRVAR(fields_doc,
             "RecordFields(topic, partition, offset, timestamp, timestamp_type, key, value, headers=(), "
             "leader_epoch=-1)\n--\n\n"
             "A tuple of the fields of a record.");

static PyMethodDef fields_methods[] = {
    {"_make", fields_make, METH_O | METH_CLASS, fields_make_doc},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject RecordFieldsType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "kafka_nextgen.compiled._accelerator.RecordFields",
    .tp_doc = fields_doc,
    .tp_basicsize = sizeof(PyTupleObject), /* the size of a tuple, with space for one item that is never used */
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_members = field_members,
    .tp_methods = fields_methods,
    .tp_new = fields_new,
};

static int add_record_fields(PyObject *module) {
    RecordFieldsType.tp_base = &PyTuple_Type; /* not a constant expression for compilers that import it from a DLL */
    return PyModule_AddType(module, &RecordFieldsType);
}

#endif
