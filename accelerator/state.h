/* The module's state: types, and interned names that would otherwise be created for each call. */
#ifndef KAFKA_NEXTGEN_STATE_H
#define KAFKA_NEXTGEN_STATE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct {
    PyObject *cast, *match_args; /* names of attributes */
    PyObject *int64, *int32, *int8; /* their format characters in `struct` */
} Names;

typedef struct {
    PyTypeObject *awaited, *builder, *columns, *fetch, *rows, *socket; /* the last is NULL on Windows */
    Names names;
} ModuleState;

/* Create the names; returns 0 with an exception set if memory is exhausted. */
static int learn_names(Names *names) {
    names->cast = PyUnicode_InternFromString("cast");
    names->match_args = PyUnicode_InternFromString("__match_args__");
    names->int64 = PyUnicode_InternFromString("q");
    names->int32 = PyUnicode_InternFromString("i");
    names->int8 = PyUnicode_InternFromString("b");
    return names->cast != NULL && names->match_args != NULL && names->int64 != NULL && names->int32 != NULL &&
           names->int8 != NULL;
}

static int traverse_state(PyObject *module, visitproc visit, void *arg) {
    ModuleState *state = PyModule_GetState(module);
    Py_VISIT(state->awaited);
    Py_VISIT(state->builder);
    Py_VISIT(state->columns);
    Py_VISIT(state->fetch);
    Py_VISIT(state->rows);
    Py_VISIT(state->socket);
    return 0;
}

static int clear_state(PyObject *module) {
    ModuleState *state = PyModule_GetState(module);
    Py_CLEAR(state->awaited);
    Py_CLEAR(state->builder);
    Py_CLEAR(state->columns);
    Py_CLEAR(state->fetch);
    Py_CLEAR(state->rows);
    Py_CLEAR(state->socket);
    Py_CLEAR(state->names.cast);
    Py_CLEAR(state->names.match_args);
    Py_CLEAR(state->names.int64);
    Py_CLEAR(state->names.int32);
    Py_CLEAR(state->names.int8);
    return 0;
}

static void drop_state(void *module) { clear_state(module); }

#endif
