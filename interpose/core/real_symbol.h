/* The function that a hook stands in front of, as the caller would have reached it without us. C,
   as the frames that exceptions cross are C files.

   Where it is looked for, in this order:
   1. behind us in the global scope (RTLD_NEXT): that is what the dynamic linker would have bound;
   it also keeps a chain of several preloaded libraries in order. Finds nothing for libraries that
   Python loaded RTLD_LOCAL;
   2. in the caller's module and what it is linked to, so two copies of a library in one process do
   not mix;
   3. in any loaded module, for callers that are linked to nothing (extension modules).
   Never ourselves. Answers are kept per call site for ever: also in a forked child, where they
   still hold. */
#ifndef ROLLCALL_INTERPOSE_CORE_REAL_SYMBOL_H_
#define ROLLCALL_INTERPOSE_CORE_REAL_SYMBOL_H_

#ifdef __cplusplus
extern "C" {
#endif

struct RollcallCallSite;

struct RollcallRealSymbol {
  const char* name;               /* mangled */
  struct RollcallCallSite* sites; /* newest first; only ever pushed to */
};

/* Null only if no loaded library defines it; without us such a program dies of an undefined symbol.
   Recording stops then, which is said once; the hook returns zero. Keeps errno. A library that a
   call went to is never unloaded. */
void* RollcallFindReal(struct RollcallRealSymbol* symbol, const void* return_address);

/* A symbol in the module of `address` and what it is linked to; null if it has none. Keeps errno.
 */
void* RollcallFindInModule(const void* address, const char* name);

#ifdef __cplusplus
}
#endif

#endif /* ROLLCALL_INTERPOSE_CORE_REAL_SYMBOL_H_ */
