/* A library with a function of Gloo's name, and one that calls it, as a copy of Gloo linked into a
   plugin. COPY tells the copies apart. The argument is not looked at: its context is unknown to the
   recorder. */
#include <string.h>

void Barrier(void* options) __asm__("_ZN4gloo7barrierERNS_14BarrierOptionsE");
void Barrier(void* options) {
  ((int*)options)[63] = COPY;
}

int CopyThatRuns(void) {
  int options[64];
  memset(options, 0, sizeof options);
  Barrier(options);
  return options[63];
}
