/* The messages that the peers send, and what they do with those that they receive, when they receive the corpus of
 * loopback_server.py or send to it. */
#include "measurement.h"
#include <stdbool.h>

#define RECEIVER "romeo@montague.example/orchard"
#define SERVER "capulet.example"
#define ACCOUNT "juliet@capulet.example/balcony-7f3a"

/* What the program does: receive or send. */
static bool is_sending;
static long amount, bodies;
static double start;

/* The arguments of every program: receive|send PORT AMOUNT. Returns the port. */
static inline int read_arguments(int count, char **arguments) {
    if (count != 4) exit(2);
    is_sending = !strcmp(arguments[1], "send");
    amount = atol(arguments[3]);
    return atoi(arguments[2]);
}

/* The body of the message after which the server begins to send, or that asks how many messages it got. */
static inline const char *question(void) { return is_sending ? "count" : "go"; }

/* A message with a body was received; whether it is the last one, and the figures were printed. */
static inline bool is_last(const char *name, const char *body) {
    if (is_sending) {
        printf("%s %f us/stanza stanzas=%s\n", name, (processor_time() - start) / amount * 1e6, body);
    } else if (!strcmp(body, "end")) {
        printf("%s %f us/stanza bodies=%ld\n", name, (processor_time() - start) / amount * 1e6, bodies);
    } else {
        bodies++;
        return false;
    }
    fflush(stdout);
    return true;
}
