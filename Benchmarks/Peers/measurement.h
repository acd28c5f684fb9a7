/* What the peers' programs share: processor time, memory, and the text of the messages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* User and system time of this process in seconds. */
static inline double processor_time(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static inline double wall_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

/* The identifier and the text of a message. */
static inline void make_message(long number, char id[64], char body[160]) {
    snprintf(id, 64, "8f1c2e3a-0000-4000-8000-%012ld", number);
    snprintf(body, 160, "message number %ld: lunch at 12 & code review <later> 你好 🚀", number);
}

/* The anonymous memory of this process that is in use, in KiB. */
static inline long anonymous_memory(void) {
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long memory = 0;
    while (file && fgets(line, sizeof line, file)) {
        if (!strncmp(line, "RssAnon:", 8)) memory = atol(line + 8);
    }
    if (file) fclose(file);
    return memory;
}

/* One file for each session. */
static inline void raise_file_limit(void) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static inline int ascending(const void *one, const void *other) {
    double difference = *(const double *)one - *(const double *)other;
    return (difference > 0) - (difference < 0);
}

/* The median of logins, of which the first two fill caches. */
static inline void report_logins(double *times, double *used, int count) {
    qsort(times + 2, count - 2, sizeof *times, ascending);
    qsort(used + 2, count - 2, sizeof *used, ascending);
    printf("login %f ms/login best=%f cpu=%f\n", times[2 + (count - 2) / 2], times[2], used[2 + (count - 2) / 2]);
}
