/* A host program that has a libpython loaded: records before the interpreter is started, and after
 * it has ended. python_host LIBPYTHON */
#include <dlfcn.h>
#include <stdio.h>

typedef void (*Function)(void);

static Function Find(const char* name) {
  Function function;
  *(void**)&function = dlsym(RTLD_DEFAULT, name);
  return function;
}

int main(int count, char** arguments) {
  if (count < 2 || dlopen(arguments[1], RTLD_NOW | RTLD_GLOBAL) == NULL) return 64;
  const Function record = Find("rollcall_test_barrier");
  const Function start = Find("Py_Initialize");
  const Function end = Find("Py_Finalize");
  if (record != NULL) record();
  start();
  end();
  if (record != NULL) record();
  puts("done");
  return 0;
}
