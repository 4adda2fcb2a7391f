/* A statically linked program knows no LD_PRELOAD. */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const char* const preload = getenv("LD_PRELOAD");
  printf("static, LD_PRELOAD %s\n", preload != NULL ? "inherited" : "not set");
  return 12;
}
