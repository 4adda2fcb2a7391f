/* What a program that makes no collective call sees of the library that is preloaded: allocations
   before main, threads, descriptors, handlers. Prints them; must be the same with and without. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void* __libc_malloc(size_t size);
static unsigned long allocations;

void* malloc(size_t size) {
  ++allocations;
  return __libc_malloc(size);
}

static int CountEntries(const char* path) {
  int entries = 0;
  DIR* const directory = opendir(path);
  while (directory != NULL && readdir(directory) != NULL)
    ++entries;
  if (directory != NULL) closedir(directory);
  return entries;
}

int main(void) {
  const unsigned long before_main = allocations;
  printf("%lu allocations, %d threads, %d descriptors\n", before_main,
         CountEntries("/proc/self/task"), CountEntries("/proc/self/fd"));
  for (int number = 1; number < 32; ++number) {
    struct sigaction action;
    if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_DFL)
      printf("signal %d handled\n", number);
  }
  return 0;
}
