/* kafka_nextgen.compiled._accelerator: decodes valid record data into columns, without an object per record.
 *
 * It reads the same data as the pure Python twin (wire/records/decode.py and the modules that it uses), with exactly
 * the same result. It is a fast path for valid data only: if anything is unexpected, `scan` and `decode` return None,
 * and the twin reads the same bytes and reports the problem.
 *
 *     scan          checks the batches, and lists the compressed ones, which Python decompresses
 *     new_buffer    allocates a buffer to decompress into
 *     find_all      finds the ends of batches that were decompressed together
 *     new_bytearray allocates a buffer to receive into
 *     let_go        frees the memory kept for reuse
 *     receive       continues receiving into such a buffer
 *     decode        creates the columns
 *     to_list       converts part of a column of byte strings to objects
 *     to_headers    converts the headers of consecutive records to objects
 *     RecordFields  is the base class of records
 *     RecordRows    yields the records of a range of rows as objects
 *     Iteration     yields ready items to `async for`, then requests more
 *     ColumnBuilder has typed columns that value decoders fill
 *     avro_decode   fills them with Avro values
 *     json_decode   fills them with JSON values
 *     protobuf_decode fills them with Protobuf values
 *     ArrivedColumns are the columns of such an answer, whose attributes are created on each access
 *     SteadyFetch   decodes whole answers, if they are small and typical, into columns, and builds the next request
 *     SteadySocket  receives these answers, and sends the requests, on the thread that waits for records
 *     ArrivingRows  waits for these records, and yields them as objects or offers them as columns
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "arrived_columns.h"
#include "arriving_rows.h"
#include "avro.h"
#include "decode.h"
#include "find.h"
#include "headers.h"
#include "iteration.h"
#include "json.h"
#include "protobuf.h"
#include "receive.h"
#include "record_fields.h"
#include "record_rows.h"
#include "scan.h"
#include "state.h"
#include "steady_fetch.h"
#include "steady_socket.h"

/* Read the requested size; returns -1 with an exception set if it is not valid. */
static Py_ssize_t read_size(PyObject *size) {
    Py_ssize_t bytes = PyLong_AsSsize_t(size);
    if (bytes < 0 && !PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "a size can't be negative");
    return bytes < 0 ? -1 : bytes;
}

PyDoc_STRVAR(make_room_doc,
             "new_buffer(size)\n--\n\n"
             "Return a memoryview of this size to write into. Its initial contents are undefined.");

static PyObject *make_room(PyObject *module, PyObject *size) {
    (void)module;
    Py_ssize_t bytes = read_size(size);
    if (bytes < 0)
        return NULL;
    return view_of(bytes < LARGE_BYTES ? PyByteArray_FromStringAndSize(NULL, bytes) : new_memory(bytes));
}

PyDoc_STRVAR(make_bytearray_doc,
             "new_bytearray(size)\n--\n\n"
             "Return a bytearray of this size. Its initial contents are undefined.");

static PyObject *make_bytearray(PyObject *module, PyObject *size) {
    (void)module;
    Py_ssize_t bytes = read_size(size);
    if (bytes < 0)
        return NULL;
    return PyByteArray_FromStringAndSize(NULL, bytes);
}

PyDoc_STRVAR(let_go_doc,
             "let_go()\n--\n\n"
             "Free the memory that is kept for later columns.");

static PyObject *let_go(PyObject *module, PyObject *nothing) {
    (void)module, (void)nothing;
    clear_shelf(0, 0);
    Py_RETURN_NONE;
}

/* Add a type to the module; returns 0, or -1 with an exception set. */
static int add_type(PyObject *module, PyType_Spec *spec) {
    PyTypeObject *type = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
    int status = type == NULL ? -1 : PyModule_AddType(module, type);
    Py_XDECREF(type);
    return status;
}

/* Create a type that other types need to know, and add it to the module; NULL with an exception set on failure. */
static PyTypeObject *known_type(PyObject *module, PyType_Spec *spec) {
    PyTypeObject *type = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
    if (type != NULL && PyModule_AddType(module, type) < 0)
        Py_CLEAR(type);
    return type;
}

static PyMethodDef methods[] = {
    RECEIVE_METHODS
    {"scan", scan, METH_VARARGS, scan_doc},
    {"find_all", find_all, METH_VARARGS, find_all_doc},
    {"decode", decode, METH_VARARGS, decode_doc},
    {"avro_decode", avro_decode, METH_VARARGS, avro_decode_doc},
    {"json_decode", json_decode, METH_VARARGS, json_decode_doc},
    {"protobuf_decode", protobuf_decode, METH_VARARGS, protobuf_decode_doc},
    {"to_list", to_list, METH_VARARGS, to_list_doc},
    {"to_headers", to_headers, METH_VARARGS, to_headers_doc},
    {"new_buffer", make_room, METH_O, make_room_doc},
    {"new_bytearray", make_bytearray, METH_O, make_bytearray_doc},
    {"let_go", let_go, METH_NOARGS, let_go_doc},
    {NULL, NULL, 0, NULL},
};

/* Add SteadySocket, where it exists; returns 0 with an exception set on failure. */
static int add_socket(PyObject *module, ModuleState *state) {
#ifndef MS_WINDOWS
    state->socket = known_type(module, &socket_spec);
    return state->socket != NULL;
#else
    (void)module, (void)state;
    return 1;
#endif
}

static int prepare(PyObject *module) {
    ModuleState *state = PyModule_GetState(module);
    crc_prepare();
    state->awaited = (PyTypeObject *)PyType_FromModuleAndSpec(module, &awaited_spec, NULL);
    state->builder = known_type(module, &builder_spec);
    state->columns = known_type(module, &arrived_columns_spec);
    state->fetch = known_type(module, &steady_spec);
    state->rows = known_type(module, &rows_spec);
    if (state->awaited == NULL || state->builder == NULL || state->columns == NULL || state->fetch == NULL ||
        state->rows == NULL || !add_socket(module, state) || !learn_names(&state->names) ||
        PyType_Ready(&MemoryType) < 0 || add_record_fields(module) < 0)
        return -1;
    PyType_Spec *others[] = {&iteration_spec, ARRIVING_ROWS_SPEC};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (add_type(module, others[i]) < 0)
            return -1;
    return 0;
}

/* No Py_mod_gil: SteadyFetch relies on the GIL, so a free-threaded Python switches it on. */
static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, prepare},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_accelerator",
    .m_doc = "Decodes valid record data into columns, without an object per record.",
    .m_size = sizeof(ModuleState),
    .m_methods = methods,
    .m_slots = slots,
    .m_traverse = traverse_state,
    .m_clear = clear_state,
    .m_free = drop_state,
};

PyMODINIT_FUNC PyInit__accelerator(void) { return PyModuleDef_Init(&definition); }
