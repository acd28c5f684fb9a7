/* iksemel receives the corpus of loopback_server.py, or holds idle sessions. It has no client: the login (PLAIN) is made here
 * from its parts.
 *   receive PORT STANZAS
 *   idle PORT SESSIONS
 */
#include "measurement.h"
#include <iksemel.h>

static iksparser *stream;
static int is_authenticated, is_online, is_over;
static long messages, bodies;
static double start;
static const char *address;

static void send_text(const char *text) {
    iks *message = iks_make_msg(IKS_TYPE_CHAT, "capulet.example", text);
    iks_send(stream, message);
    iks_delete(message);
}

static void bind_resource(void) {
    ikstack *memory = iks_stack_new(256, 256);
    iks *bind = iks_make_resource_bind(iks_id_new(memory, address));
    iks_insert_attrib(bind, "id", "bind");
    iks_send(stream, bind);
    iks_delete(bind);
    iks_stack_delete(memory);
}

static void message_received(iks *message) {
    const char *body = iks_find_cdata(message, "body");
    if (!body) return;
    if (strcmp(body, "end")) {
        bodies++;
    } else {
        printf("iksemel %f us/stanza bodies=%ld\n", (processor_time() - start) / messages * 1e6, bodies);
        is_over = 1;
    }
}

static int received(void *data, int type, iks *node) {
    (void)data;
    const char *name = type == IKS_NODE_NORMAL ? iks_name(node) : "";
    if (!strcmp(name, "stream:features") && !is_authenticated) {
        iks_start_sasl(stream, IKS_SASL_PLAIN, "juliet", "secret");
    } else if (!strcmp(name, "stream:features")) {
        bind_resource();
    } else if (!strcmp(name, "success")) {
        is_authenticated = 1;
        iks_send_header(stream, "capulet.example");
    } else if (!strcmp(name, "iq")) {
        is_online = 1;
    } else if (!strcmp(name, "message")) {
        message_received(node);
    }
    if (node) iks_delete(node);
    return IKS_OK;
}

static void log_in(int port) {
    is_authenticated = is_online = 0;
    stream = iks_stream_new("jabber:client", NULL, received);
    if (iks_connect_via(stream, "127.0.0.1", port, "capulet.example") != IKS_OK) exit(1);
    while (!is_online) {
        if (iks_recv(stream, 1) != IKS_OK) exit(1);
    }
}

int main(int arguments, char **argument) {
    if (arguments != 4) return 2;
    int port = atoi(argument[2]);
    messages = atol(argument[3]);
    if (!strcmp(argument[1], "idle")) {
        raise_file_limit();
        long before = 0;
        for (long number = 0; number <= messages; number++) {
            char text[64];
            snprintf(text, sizeof text, "juliet@capulet.example/r%ld", number);
            address = text;
            log_in(port);
            if (!number) before = anonymous_memory();
        }
        printf("iksemel %f KiB/session stanzas=%ld\n", (anonymous_memory() - before) / (double)messages, messages);
        return 0;
    }
    address = "juliet@capulet.example/balcony-7f3a";
    log_in(port);
    iks *presence = iks_make_pres(IKS_SHOW_AVAILABLE, NULL);
    iks_send(stream, presence);
    iks_delete(presence);
    start = processor_time();
    send_text("go");
    while (!is_over && iks_recv(stream, 10) == IKS_OK) {}
    return 0;
}
