/* One call of a compiled function from Python, for the usual case: one state, given as arrays of float64.

   It knows Python by its stable application binary interface (3.11 and later), whose declarations follow, so that no
   header of Python is needed. Everything unusual is answered by NotImplemented: careful Python code takes over. */
#include <stddef.h>

typedef struct object PyObject;
typedef ptrdiff_t Py_ssize_t;
typedef struct {
    void *buf;
    PyObject *obj;
    Py_ssize_t len, itemsize;
    int readonly, ndim;
    char *format;
    Py_ssize_t *shape, *strides, *suboffsets;
    void *internal;
} Py_buffer;
typedef struct {
    const char *name;
    PyObject *(*function)(PyObject *, PyObject *const *, Py_ssize_t);
    int flags;
    const char *doc;
} PyMethodDef;
enum { METH_FASTCALL = 0x80, WRITABLE = 0x1, C_CONTIGUOUS = 0x38, FORMAT = 0x4 };

extern PyObject _Py_NotImplementedStruct;
extern int PyObject_GetBuffer(PyObject *, Py_buffer *, int);
extern void PyBuffer_Release(Py_buffer *);
extern PyObject *PyObject_CallFunctionObjArgs(PyObject *, ...);
extern PyObject *PyTuple_GetItem(PyObject *, Py_ssize_t);
extern char *PyBytes_AsString(PyObject *);
extern void PyErr_Clear(void);
extern void Py_IncRef(PyObject *);
extern void Py_DecRef(PyObject *);

enum { MOST = 16 };                                 /* arguments */

/* What is to be called: a function as written by c_source.py, with so many arguments of so many numbers. */
typedef struct {
    int (*function)(size_t, const double *const *, const size_t *, double *const *);
    Py_ssize_t count, size[MOST];
} Plan;

/* Whether an object is an array of so many finite doubles in a row; its buffer must be released then. */
static int opened(PyObject *object, Py_buffer *view, Py_ssize_t size)
{
    if (PyObject_GetBuffer(object, view, C_CONTIGUOUS | FORMAT)) {
        PyErr_Clear();
        return 0;
    }
    if (view->ndim == 1 && view->len == size * 8 && view->format && view->format[0] == 'd' && !view->format[1])
        return 1;
    PyBuffer_Release(view);
    return 0;
}

static int all_finite(const double *x, Py_ssize_t size)
{
    double nothing = 0;
    for (Py_ssize_t k = 0; k < size; k++)
        nothing += x[k] * 0.0;                      /* NaN where x[k] is infinite or NaN */
    return nothing == 0;
}

/* self: (a Plan as bytes, numpy.empty, the shape of the result). */
static PyObject *call(PyObject *self, PyObject *const *arguments, Py_ssize_t given)
{
    const Plan *plan = (const Plan *)PyBytes_AsString(PyTuple_GetItem(self, 0));
    PyObject *result = NULL;
    const double *in[MOST];
    const size_t step[MOST] = {0};
    Py_buffer views[MOST], room;
    Py_ssize_t held = 0;
    int clean = given == plan->count;

    while (clean && held < given) {
        clean = opened(arguments[held], views + held, plan->size[held]);
        if (clean) {
            in[held] = views[held].buf;
            clean = all_finite(in[held], plan->size[held]);
            held++;
        }
    }
    if (clean) {
        result = PyObject_CallFunctionObjArgs(PyTuple_GetItem(self, 1), PyTuple_GetItem(self, 2), (PyObject *)NULL);
        if (result && PyObject_GetBuffer(result, &room, WRITABLE) == 0) {
            double *const out[] = {room.buf};
            clean = plan->function(1, in, step, out) == 1;
            PyBuffer_Release(&room);
        } else
            clean = 0;
    }
    while (held > 0)
        PyBuffer_Release(views + --held);
    if (clean)
        return result;
    if (result)
        Py_DecRef(result);
    PyErr_Clear();
    Py_IncRef(&_Py_NotImplementedStruct);
    return &_Py_NotImplementedStruct;
}

#if defined(_WIN32)
__declspec(dllexport)
#endif
PyMethodDef method = {"compiled", call, METH_FASTCALL, NULL};
