/* What Swift's own Glibc module leaves out: getopt_long, and the state of the heap. */
#include <getopt.h>
#include <malloc.h>

/* Swift refuses to touch C globals, as it cannot see who else does. */
static inline void getopt_restart(void) { optind = 0; }
static inline int getopt_index(void) { return optind; }
static inline char *getopt_value(void) { return optarg; }

/* The bytes that are allocated and not freed: unlike the resident size, without what the heap keeps for later. */
static inline size_t heap_in_use(void) {
  struct mallinfo2 heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}
