/* Keeps other threads out of an object while it changes: with the GIL or, in a Python without one, with a per-object
 * lock.
 */
#ifndef KAFKA_NEXTGEN_LOCKING_H
#define KAFKA_NEXTGEN_LOCKING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#ifndef Py_BEGIN_CRITICAL_SECTION
#define Py_BEGIN_CRITICAL_SECTION(object) {
#define Py_END_CRITICAL_SECTION() }
#endif

/* Whether nothing else refers to this object, so that it can be reused. False for NULL. */
static int is_ours_alone(PyObject *object) {
#ifdef Py_GIL_DISABLED
    (void)object;
    return 0; /* reference counts are not reliable there */
#else
    return object != NULL && Py_REFCNT(object) == 1;
#endif
}

#endif
