/* Compiled modules as Python's import system looks for them: this one extension lies under the name of each.

   A library holds many modules, and gives each by a function in a capsule. `shim.h` lists them:
   MODULE("domain.prng", "library_rules__mypyc", "domain___prng"), and LAST_NAME(prng) once for each last name. */

#include <Python.h>

static const struct {
    const char *module;
    const char *ensure_deps; /* the library's function that imports the libraries which it needs */
    const char *init;        /* the library's function that makes the module */
} modules[] = {
#define MODULE(module, library, exported) {module, library ".ensure_deps", library ".init_" exported},
#define LAST_NAME(name)
#include "shim.h"
#undef MODULE
#undef LAST_NAME
};

static PyObject *from_library(const char *ensure_deps_name, const char *init_name)
{
    int (*ensure_deps)(void) = (int (*)(void))PyCapsule_Import(ensure_deps_name, 0);
    if (ensure_deps == NULL || ensure_deps() < 0)
        return NULL;
    PyObject *(*init)(void) = (PyObject * (*)(void)) PyCapsule_Import(init_name, 0);
    return init == NULL ? NULL : init();
}

static PyObject *create(PyObject *spec, PyModuleDef *definition)
{
    PyObject *module = NULL;
    PyObject *name = PyObject_GetAttrString(spec, "name");
    if (name == NULL)
        return NULL;
    size_t left = sizeof modules / sizeof *modules;
    while (left > 0 && PyUnicode_CompareWithASCIIString(name, modules[left - 1].module) != 0)
        left--;
    if (left > 0)
        module = from_library(modules[left - 1].ensure_deps, modules[left - 1].init);
    else
        PyErr_Format(PyExc_ImportError, "no library has the module %R", name);
    Py_DECREF(name);
    return module;
}

static PyModuleDef_Slot slots[] = {{Py_mod_create, (void *)create}, {0, NULL}};
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "shim", .m_slots = slots};

#define MODULE(module, library, exported)
#define LAST_NAME(name)                                                                                                \
    PyMODINIT_FUNC PyInit_##name(void)                                                                                 \
    {                                                                                                                  \
        return PyModuleDef_Init(&definition);                                                                          \
    }
#include "shim.h"
