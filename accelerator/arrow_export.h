/* Columns in the form of Arrow's C data interface (https://arrow.apache.org/docs/format/CDataInterface.html), in
 * capsules.
 *
 * The consumer of a capsule owns the memory and frees it with `release`, in any thread, with or without the GIL. Each
 * struct owns its children; a consumer that moves a child out marks it as released.
 */
#ifndef KAFKA_NEXTGEN_ARROW_EXPORT_H
#define KAFKA_NEXTGEN_ARROW_EXPORT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

#include "column_builder.h"

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
#endif

/* ---- schemas */

static void release_schema(struct ArrowSchema *schema) {
    for (int64_t i = 0; schema->children != NULL && i < schema->n_children; i++) {
        if (schema->children[i] != NULL && schema->children[i]->release != NULL)
            schema->children[i]->release(schema->children[i]);
        PyMem_RawFree(schema->children[i]);
    }
    if (schema->dictionary != NULL && schema->dictionary->release != NULL)
        schema->dictionary->release(schema->dictionary);
    PyMem_RawFree(schema->children);
    PyMem_RawFree(schema->dictionary);
    PyMem_RawFree((void *)schema->format);
    PyMem_RawFree((void *)schema->name);
    PyMem_RawFree((void *)schema->metadata);
    schema->release = NULL;
}

/* Copy `size` bytes and append a 0. Returns NULL if the text is NULL or memory is exhausted. */
static char *copied(const char *text, Py_ssize_t size) {
    char *copy = text == NULL ? NULL : PyMem_RawMalloc((size_t)size + 1);
    if (copy != NULL) {
        memcpy(copy, text, (size_t)size);
        copy[size] = 0;
    }
    return copy;
}

static int begin_schema(struct ArrowSchema *schema, const char *format, const char *name, int64_t flags) {
    memset(schema, 0, sizeof *schema);
    schema->release = release_schema;
    schema->flags = flags;
    schema->format = copied(format, (Py_ssize_t)strlen(format));
    schema->name = copied(name, (Py_ssize_t)strlen(name));
    return schema->format != NULL && schema->name != NULL;
}

/* Allocate children. They count as released until they are filled in. */
static int make_schema_children(struct ArrowSchema *schema, int64_t count) {
    schema->children = PyMem_RawCalloc((size_t)count + 1, sizeof *schema->children);
    if (schema->children == NULL)
        return 0;
    for (schema->n_children = 0; schema->n_children < count; schema->n_children++) {
        schema->children[schema->n_children] = PyMem_RawCalloc(1, sizeof **schema->children);
        if (schema->children[schema->n_children] == NULL)
            return 0;
    }
    return 1;
}

static int add_schema_dictionary(struct ArrowSchema *schema) {
    schema->dictionary = PyMem_RawCalloc(1, sizeof *schema->dictionary);
    return schema->dictionary != NULL && begin_schema(schema->dictionary, "u", "", 0);
}

/* ---- arrays */

typedef struct {
    const void *buffers[3];
} OwnedBuffers;

static void release_array(struct ArrowArray *array) {
    OwnedBuffers *owned = array->private_data;
    for (int64_t i = 0; array->children != NULL && i < array->n_children; i++) {
        if (array->children[i] != NULL && array->children[i]->release != NULL)
            array->children[i]->release(array->children[i]);
        PyMem_RawFree(array->children[i]);
    }
    if (array->dictionary != NULL && array->dictionary->release != NULL)
        array->dictionary->release(array->dictionary);
    for (int i = 0; owned != NULL && i < 3; i++)
        PyMem_RawFree((void *)owned->buffers[i]);
    PyMem_RawFree(owned);
    PyMem_RawFree(array->children);
    PyMem_RawFree(array->dictionary);
    array->release = NULL;
}

static int begin_array(struct ArrowArray *array) {
    memset(array, 0, sizeof *array);
    array->release = release_array;
    array->private_data = PyMem_RawCalloc(1, sizeof(OwnedBuffers));
    if (array->private_data != NULL)
        array->buffers = ((OwnedBuffers *)array->private_data)->buffers;
    return array->private_data != NULL;
}

static int make_array_children(struct ArrowArray *array, int64_t count) {
    array->children = PyMem_RawCalloc((size_t)count + 1, sizeof *array->children);
    if (array->children == NULL)
        return 0;
    for (array->n_children = 0; array->n_children < count; array->n_children++) {
        array->children[array->n_children] = PyMem_RawCalloc(1, sizeof **array->children);
        if (array->children[array->n_children] == NULL)
            return 0;
    }
    return 1;
}

/* Move a column's memory to an array, which leaves the column empty. Moves only the column's own buffers: its children
 * become separate arrays. */
static int move_column(BuiltColumn *column, struct ArrowArray *array) {
    static const int64_t buffer_counts[] = {[NULLS] = 0, [BITS] = 2, [NUMBERS] = 2, [STRINGS] = 3, [LISTS] = 2, [STRUCTS] = 1};
    if (!begin_array(array) || make_entries(column, 1) == NO_MEMORY) /* Arrow requires bounds even without entries */
        return 0;
    if (column->kind == STRINGS && column->data == NULL && grow_bytes(column, 1) == NO_MEMORY)
        return 0;
    array->length = column->length;
    array->null_count = column->kind == NULLS ? column->length : column->nulls;
    array->n_buffers = buffer_counts[column->kind];
    array->buffers[0] = column->validity;
    array->buffers[1] = column->bounds != NULL ? (void *)column->bounds : column->data;
    array->buffers[2] = column->bounds != NULL ? column->data : NULL;
    column->validity = column->data = NULL;
    column->bounds = NULL;
    column->length = column->capacity = column->nulls = column->bytes = column->byte_capacity = 0;
    return 1;
}

/* ---- capsules */

static void drop_schema_capsule(PyObject *capsule) {
    struct ArrowSchema *schema = PyCapsule_GetPointer(capsule, "arrow_schema");
    if (schema != NULL && schema->release != NULL)
        schema->release(schema);
    PyMem_RawFree(schema);
}

static void drop_array_capsule(PyObject *capsule) {
    struct ArrowArray *array = PyCapsule_GetPointer(capsule, "arrow_array");
    if (array != NULL && array->release != NULL)
        array->release(array);
    PyMem_RawFree(array);
}

/* Return a capsule with a new struct of this size, all zeros, which means released. */
static PyObject *new_capsule(size_t size, const char *name, PyCapsule_Destructor drop) {
    void *place = PyMem_RawCalloc(1, size);
    if (place == NULL)
        return PyErr_NoMemory();
    PyObject *capsule = PyCapsule_New(place, name, drop);
    if (capsule == NULL)
        PyMem_RawFree(place);
    return capsule;
}

#endif
