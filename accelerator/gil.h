/* The GIL is released while bytes are read, unless there are so few that reacquiring it could take longer than reading
 * them.
 */
#ifndef KAFKA_NEXTGEN_GIL_H
#define KAFKA_NEXTGEN_GIL_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

#define FEW_BYTES 16384

static PyThreadState *release_gil(int64_t bytes) { return bytes > FEW_BYTES ? PyEval_SaveThread() : NULL; }

static void take_gil(PyThreadState *state) {
    if (state != NULL)
        PyEval_RestoreThread(state);
}

#endif
