/* Loads both copies as plugins (RTLD_LOCAL); each must call its own. Exit status 0 = so. */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char** arguments) {
  for (int round = 0; round < 2; ++round) {
    for (int i = 1; i < count; ++i) {
      void* library = dlopen(arguments[i], RTLD_NOW | RTLD_LOCAL);
      int (*copy)(void) = library == NULL ? NULL : (int (*)(void))dlsym(library, "CopyThatRuns");
      if (copy == NULL || copy() != i) {
        fprintf(stderr, "%s: %s\n", arguments[i], copy == NULL ? dlerror() : "runs another copy");
        return 1;
      }
    }
  }
  return 0;
}
