// Counts the allocations of a program and writes their number to the file that ALLOCATIONS names when the program ends.
//
//     clang -O2 -shared -fPIC -o allocations.so allocations.c
//     LD_PRELOAD=$PWD/allocations.so ALLOCATIONS=file program
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

// The functions of the C library behind those of the standard.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_ulong count;

static void counted(void) { atomic_fetch_add_explicit(&count, 1, memory_order_relaxed); }

void *malloc(size_t size) {
  counted();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  counted();
  return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
  counted();
  return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
  counted();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  void *memory = memalign(alignment, size);
  if (memory == NULL) return ENOMEM;
  *result = memory;
  return 0;
}

__attribute__((destructor)) static void report(void) {
  unsigned long total = atomic_load(&count);
  const char *path = getenv("ALLOCATIONS");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (file == NULL) return;
  fprintf(file, "%lu\n", total);
  fclose(file);
}
