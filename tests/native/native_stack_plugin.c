/* Loaded and unloaded by native_stack_test: calls back from its own code. */
void CallBack(void (*callback)(void*), void* data);

__attribute__((visibility("default"), noinline)) void CallBack(void (*callback)(void*),
                                                               void* data) {
  callback(data);
  __asm__ volatile("");
}
