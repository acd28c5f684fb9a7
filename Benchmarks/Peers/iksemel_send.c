/* iksemel sends messages to a server that discards them. It has no client: the login (PLAIN) is made here from its parts. */
#include "measurement.h"
#include <iksemel.h>

static iksparser *stream;
static int is_authenticated, is_online, is_over;
static long messages;
static double start;

static void add(iks *message, const char *name, const char *space, const char *id) {
    iks *child = iks_insert(message, name);
    iks_insert_attrib(child, "xmlns", space);
    if (id) iks_insert_attrib(child, "id", id);
}

static void send_one(long number) {
    char id[64], body[160];
    make_message(number, id, body);
    iks *message = iks_make_msg(IKS_TYPE_CHAT, "romeo@montague.example/orchard", body);
    iks_insert_attrib(message, "id", id);
    add(message, "request", "urn:xmpp:receipts", NULL);
    add(message, "origin-id", "urn:xmpp:sid:0", id);
    add(message, "active", "http://jabber.org/protocol/chatstates", NULL);
    iks_send(stream, message);
    iks_delete(message);
}

static int received(void *data, int type, iks *node) {
    (void)data;
    const char *name = type == IKS_NODE_NORMAL ? iks_name(node) : "";
    if (!strcmp(name, "stream:features") && !is_authenticated) {
        iks_start_sasl(stream, IKS_SASL_PLAIN, "juliet", "secret");
    } else if (!strcmp(name, "stream:features")) {
        iksid *address = iks_id_new(iks_parser_stack(stream), "juliet@capulet.example/balcony");
        iks *bind = iks_make_resource_bind(address);
        iks_insert_attrib(bind, "id", "bind");
        iks_send(stream, bind);
        iks_delete(bind);
    } else if (!strcmp(name, "success")) {
        is_authenticated = 1;
        iks_send_header(stream, "capulet.example");
    } else if (!strcmp(name, "iq")) {
        is_online = 1;
    } else if (!strcmp(name, "message")) {
        double seconds = processor_time() - start;
        printf("iksemel %f us/stanza stanzas=%s\n", seconds / messages * 1e6, iks_find_cdata(node, "body"));
        is_over = 1;
    }
    if (node) iks_delete(node);
    return IKS_OK;
}

int main(int count, char **arguments) {
    if (count != 3) return 2;
    messages = atol(arguments[2]);
    stream = iks_stream_new("jabber:client", NULL, received);
    if (iks_connect_via(stream, "127.0.0.1", atoi(arguments[1]), "capulet.example") != IKS_OK) return 1;
    while (!is_online) {
        if (iks_recv(stream, 1) != IKS_OK) return 1;
    }
    start = processor_time();
    for (long number = 0; number < messages; number++) send_one(number);
    iks *last = iks_make_msg(IKS_TYPE_CHAT, "capulet.example", "count");
    iks_send(stream, last);
    iks_delete(last);
    while (!is_over) {
        if (iks_recv(stream, 1) != IKS_OK) return 1;
    }
    return 0;
}
