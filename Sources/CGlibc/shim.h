/* What Swift's own Glibc module leaves out: getopt_long. */
#include <getopt.h>

/* Swift refuses to touch C globals, as it cannot see who else does. */
static inline void getopt_restart(void) { optind = 0; }
static inline int getopt_index(void) { return optind; }
static inline char *getopt_value(void) { return optarg; }
