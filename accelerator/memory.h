/* Reusable memory for large columns and for decompression.
 *
 * Writing to pages that are new to a process is expensive: the kernel fills each of them with zeros first. `malloc`
 * returns large pieces to the system immediately, so every answer would be decoded into new pages. Memory that is no
 * longer used is therefore kept on a shelf instead, and reused for the next request of about the same size. The shelf
 * is small; when it is full, the oldest pieces are freed. The GIL protects it; free-threaded builds have no shelf.
 */
#ifndef KAFKA_NEXTGEN_MEMORY_H
#define KAFKA_NEXTGEN_MEMORY_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

#define LARGE_BYTES (64 * 1024) /* smaller buffers are bytes objects, whose memory `malloc` reuses */
#ifdef Py_GIL_DISABLED
#define SHELF_BYTES 0
#else
#define SHELF_BYTES (32 * 1024 * 1024)
#endif
#define SHELF_PIECES 128

typedef struct {
    void *data;
    Py_ssize_t capacity;
} Piece;

/* The oldest piece is first. */
static struct {
    Piece pieces[SHELF_PIECES];
    int count;
    Py_ssize_t bytes;
} shelf;

static Piece take_from_shelf(int index) {
    Piece piece = shelf.pieces[index];
    shelf.count--;
    shelf.bytes -= piece.capacity;
    memmove(&shelf.pieces[index], &shelf.pieces[index + 1], (size_t)(shelf.count - index) * sizeof(Piece));
    return piece;
}

static void clear_shelf(Py_ssize_t most_bytes, int most_pieces) {
    while (shelf.count > 0 && (shelf.bytes > most_bytes || shelf.count > most_pieces))
        PyMem_RawFree(take_from_shelf(0).data);
}

/* Find the smallest piece that is large enough, but not more than about twice as large; -1 if there is none. */
static int find_on_shelf(Py_ssize_t size) {
    int best = -1;
    for (int i = shelf.count - 1; i >= 0; i--) {
        Py_ssize_t capacity = shelf.pieces[i].capacity;
        if (capacity >= size && capacity / 2 <= size && (best < 0 || capacity < shelf.pieces[best].capacity))
            best = i;
    }
    return best;
}

/* Return a piece of at least this size; its data is NULL if memory is exhausted. A new piece has some spare
 * capacity. */
static Piece take_piece(Py_ssize_t size) {
    int index = find_on_shelf(size);
    if (index >= 0)
        return take_from_shelf(index);
    Piece piece = {NULL, size + size / 8};
    piece.data = PyMem_RawMalloc((size_t)piece.capacity);
    return piece;
}

static void put_piece(Piece piece) {
    if (piece.data == NULL || piece.capacity > SHELF_BYTES) {
        PyMem_RawFree(piece.data);
        return;
    }
    clear_shelf(SHELF_BYTES - piece.capacity, SHELF_PIECES - 1);
    shelf.pieces[shelf.count++] = piece;
    shelf.bytes += piece.capacity;
}

/* An object whose only interface is the buffer protocol. */
typedef struct {
    PyObject_HEAD
    Piece piece;
    Py_ssize_t size;
    int is_finished; /* read-only from now on */
} Memory;

static int memory_getbuffer(PyObject *self, Py_buffer *view, int flags) {
    Memory *memory = (Memory *)self;
    return PyBuffer_FillInfo(view, self, memory->piece.data, memory->size, memory->is_finished, flags);
}

static void memory_dealloc(PyObject *self) {
    put_piece(((Memory *)self)->piece);
    PyObject_Free(self);
}

static PyBufferProcs memory_as_buffer = {.bf_getbuffer = memory_getbuffer};

static PyTypeObject MemoryType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "kafka_nextgen.compiled._accelerator.Memory",
    .tp_doc = PyDoc_STR("Bytes in reusable memory, accessible only through the buffer protocol."),
    .tp_basicsize = sizeof(Memory),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = memory_dealloc,
    .tp_as_buffer = &memory_as_buffer,
};

static PyObject *new_memory(Py_ssize_t size) {
    Piece piece = take_piece(size);
    Memory *memory = piece.data == NULL ? NULL : PyObject_New(Memory, &MemoryType);
    if (memory == NULL) {
        put_piece(piece);
        return PyErr_NoMemory();
    }
    memory->piece = piece;
    memory->size = size;
    memory->is_finished = 0;
    return (PyObject *)memory;
}

/* Replace an object with a memoryview of it; NULL stays NULL. */
static PyObject *view_of(PyObject *buffer) {
    PyObject *view = buffer == NULL ? NULL : PyMemoryView_FromObject(buffer);
    Py_XDECREF(buffer);
    return view;
}

/* Return an object whose bytes can be filled: a bytes object, or Memory if it is large. */
static PyObject *new_bytes(Py_ssize_t size) {
    return size < LARGE_BYTES ? PyBytes_FromStringAndSize(NULL, size) : new_memory(size);
}

static void *bytes_of(PyObject *bytes) {
    return PyBytes_Check(bytes) ? (void *)PyBytes_AS_STRING(bytes) : ((Memory *)bytes)->piece.data;
}

/* Move the used part to a smaller buffer. */
static int move_memory(PyObject **bytes, Py_ssize_t used) {
    PyObject *small = new_bytes(used);
    if (small == NULL)
        return 0;
    memcpy(bytes_of(small), bytes_of(*bytes), (size_t)used);
    Py_SETREF(*bytes, small);
    return 1;
}

/* Trim the object to `used` bytes and convert it to the result: a bytes object or a memoryview. Returns 0 with an
 * exception set on failure. */
static int finish_bytes(PyObject **bytes, Py_ssize_t used) {
    if (PyBytes_Check(*bytes))
        return PyBytes_GET_SIZE(*bytes) == used || _PyBytes_Resize(bytes, used) == 0;
    if (used < ((Memory *)*bytes)->piece.capacity / 2 && !move_memory(bytes, used))
        return 0;
    if (PyBytes_Check(*bytes))
        return 1;
    ((Memory *)*bytes)->size = used;
    ((Memory *)*bytes)->is_finished = 1;
    *bytes = view_of(*bytes);
    return *bytes != NULL;
}

#endif
