/* Ends, forks and execs as a plain C program makes them, with and without the recorder: what it
   prints and how it ends must be the same. Records when the library that is preloaded offers
   rollcall_test_barrier. ends_without_python MODE */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static void Record(void) {
  int (*barrier)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "rollcall_test_barrier");
  if (barrier != NULL && barrier() != 0) {
    fputs("not recorded\n", stderr);
    exit(99);
  }
}

static void PrintStatus(const char* what, int status) {
  if (WIFEXITED(status)) printf("%s: exit %d\n", what, WEXITSTATUS(status));
  if (WIFSIGNALED(status)) printf("%s: signal %d\n", what, WTERMSIG(status));
}

static int RunVfork(void) {
  const pid_t child = vfork();
  if (child == 0) {
    execl("/no/such/program", "program", (char*)NULL);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  PrintStatus("vfork", status);
  return 0;
}

static int RunSpawn(void) {
  char* const arguments[] = {"program", NULL};
  pid_t child = 0;
  printf("spawn of a missing program: %s\n",
         strerror(posix_spawn(&child, "/no/such/program", NULL, NULL, arguments, environ)));
  char* const shell[] = {"sh", "-c", "exit 7", NULL};
  int status = 0;
  if (posix_spawn(&child, "/bin/sh", NULL, NULL, shell, environ) != 0) return 1;
  waitpid(child, &status, 0);
  PrintStatus("spawn", status);
  PrintStatus("system", system("exit 9"));
  return 0;
}

/* A child that lives on SIGTERM's default action, and one of each other end. */
static void EndChild(int number) {
  switch (number % 5) {
    case 0:
      _exit(number);
    case 1:
      exit(number);
    case 2:
      abort();
    case 3:
      raise(SIGTERM);
      _exit(98);
    default:
      raise(SIGSEGV);
      _exit(98);
  }
}

static int RunForks(void) {
  fflush(stdout);
  for (int number = 0; number < 64; ++number) {
    const pid_t child = fork();
    if (child == 0) EndChild(number);
    int status = 0;
    waitpid(child, &status, 0);
    printf("%d ", number);
    PrintStatus("child", status);
    fflush(stdout);
  }
  return 0;
}

static int CountDescriptors(void) {
  fflush(stdout);
  return system("ls /proc/self/fd | wc -l") == 0 ? 0 : 1;
}

/* With a handler in place a blocked call would be interrupted where it was not before: no signal
 * comes here, so no EINTR. */
static void PrintDispositions(void) {
  struct sigaction action;
  sigaction(SIGINT, NULL, &action);
  printf("SIGINT %s\n", action.sa_handler == SIG_DFL ? "default" : "handled");
  sigaction(SIGPIPE, NULL, &action);
  printf("SIGPIPE %s\n", action.sa_handler == SIG_DFL ? "default" : "handled");
}

static void OwnHandler(int number) {
  _exit(40 + number);
}

/* An address that the compiler does not know to be wrong. */
static volatile int* NullPage(void) {
  static volatile int* volatile address;
  return address + 2;
}

static int Overflow(int depth) {
  volatile char page[4096];
  page[0] = (char)depth;
  return depth < 0 ? 0 : Overflow(depth + 1) + page[0];
}

static void SetAlternativeStack(void) {
  static char memory[65536];
  const stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)};
  sigaltstack(&stack, NULL);
}

static void* FaultInThread(void* unused) {
  (void)unused;
  *NullPage() = 1;
  return NULL;
}

static void RunThread(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, FaultInThread, NULL);
  pthread_join(thread, NULL);
}

int main(int count, char** arguments) {
  const char* const mode = count > 1 ? arguments[1] : "";
  if (strcmp(mode, "ignored") == 0) signal(SIGTERM, SIG_IGN);
  if (strcmp(mode, "handler") == 0) signal(SIGTERM, OwnHandler);
  Record();
  if (strcmp(mode, "late-handler") == 0) signal(SIGTERM, OwnHandler);
  if (strcmp(mode, "return") == 0) return 4;
  if (strcmp(mode, "exit") == 0) exit(3);
  if (strcmp(mode, "quick") == 0) _exit(5);
  if (strcmp(mode, "Exit") == 0) _Exit(6);
  if (strcmp(mode, "large") == 0) exit(256 + 7);
  if (strcmp(mode, "abort") == 0) abort();
  if (strcmp(mode, "fault") == 0) *NullPage() = 1;
  if (strcmp(mode, "thread-fault") == 0) RunThread();
  if (strcmp(mode, "alternative-overflow") == 0) SetAlternativeStack();
  if (strstr(mode, "overflow") != NULL) return Overflow(0);
  if (strcmp(mode, "divide") == 0) raise(SIGFPE);
  if (strcmp(mode, "term") == 0 || strcmp(mode, "ignored") == 0 ||
      strstr(mode, "handler") != NULL) {
    kill(getpid(), SIGTERM);
    return 2;
  }
  if (strcmp(mode, "hup") == 0) kill(getpid(), SIGHUP);
  if (strcmp(mode, "kill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(mode, "int") == 0) kill(getpid(), SIGINT);
  if (strcmp(mode, "vfork") == 0) return RunVfork();
  if (strcmp(mode, "spawn") == 0) return RunSpawn();
  if (strcmp(mode, "forks") == 0) return RunForks();
  if (strcmp(mode, "descriptors") == 0) return CountDescriptors();
  if (strcmp(mode, "dispositions") == 0) PrintDispositions();
  if (strcmp(mode, "exec") == 0) execl("/bin/sh", "sh", "-c", "exit 8", (char*)NULL);
  if (strcmp(mode, "exec-self") == 0) execl("/proc/self/exe", arguments[0], "exit", (char*)NULL);
  if (strcmp(mode, "sleep") == 0) {
    puts("ready");
    fflush(stdout);
    for (;;)
      pause();
  }
  return 0;
}
