/* What the parsers' programs share: the bytes of a stream and the result. */
#include "measurement.h"

static long stanzas, bodies, body_bytes;

/* The content of the file that the only argument names, with a zero byte after it. */
static inline char *read_stream(int count, char **arguments, long *size) {
    if (count != 2) exit(2);
    FILE *file = fopen(arguments[1], "r");
    if (!file) exit(1);
    fseek(file, 0, SEEK_END);
    *size = ftell(file);
    rewind(file);
    char *stream = (char *)malloc(*size + 1);
    if (!stream || fread(stream, 1, *size, file) != (size_t)*size) exit(1);
    stream[*size] = 0;
    fclose(file);
    return stream;
}

static inline void report(const char *name, double start) {
    double seconds = processor_time() - start;
    printf("%s %f us/stanza stanzas=%ld bodies=%ld bodyBytes=%ld\n", name, seconds / stanzas * 1e6, stanzas, bodies,
           body_bytes);
}
