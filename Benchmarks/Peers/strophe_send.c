/* libstrophe sends messages to a server that discards them: composed as stanza objects, one after the other. */
#include "measurement.h"
#include <strophe.h>

static xmpp_ctx_t *context;
static int is_online, is_over;
static long messages;
static double start;

static void add(xmpp_stanza_t *message, const char *name, const char *space, const char *id) {
    xmpp_stanza_t *child = xmpp_stanza_new(context);
    xmpp_stanza_set_name(child, name);
    xmpp_stanza_set_ns(child, space);
    if (id) xmpp_stanza_set_id(child, id);
    xmpp_stanza_add_child(message, child);
    xmpp_stanza_release(child);
}

static void send_one(xmpp_conn_t *connection, long number) {
    char id[64], body[160];
    make_message(number, id, body);
    xmpp_stanza_t *message = xmpp_message_new(context, "chat", "romeo@montague.example/orchard", id);
    xmpp_message_set_body(message, body);
    add(message, "request", "urn:xmpp:receipts", NULL);
    add(message, "origin-id", "urn:xmpp:sid:0", id);
    add(message, "active", "http://jabber.org/protocol/chatstates", NULL);
    xmpp_send(connection, message);
    xmpp_stanza_release(message);
}

static int received(xmpp_conn_t *connection, xmpp_stanza_t *message, void *data) {
    (void)data;
    xmpp_stanza_t *body = xmpp_stanza_get_child_by_name(message, "body");
    char *text = body ? xmpp_stanza_get_text(body) : NULL;
    if (!text) return 1;
    double seconds = processor_time() - start;
    printf("libstrophe %f us/stanza stanzas=%s\n", seconds / messages * 1e6, text);
    xmpp_free(context, text);
    is_over = 1;
    xmpp_disconnect(connection);
    return 1;
}

static void changed(xmpp_conn_t *connection, xmpp_conn_event_t event, int error, xmpp_stream_error_t *reason, void *data) {
    (void)error, (void)reason, (void)data;
    if (event == XMPP_CONN_CONNECT) {
        xmpp_handler_add(connection, received, NULL, "message", NULL, NULL);
        is_online = 1;
    } else {
        is_over = 1;
    }
}

int main(int count, char **arguments) {
    if (count != 3) return 2;
    messages = atol(arguments[2]);
    xmpp_initialize();
    context = xmpp_ctx_new(NULL, xmpp_get_default_logger(XMPP_LEVEL_ERROR));
    xmpp_conn_t *connection = xmpp_conn_new(context);
    xmpp_conn_set_flags(connection, XMPP_CONN_FLAG_DISABLE_TLS);
    xmpp_conn_set_jid(connection, "juliet@capulet.example/balcony");
    xmpp_conn_set_pass(connection, "secret");
    if (xmpp_connect_client(connection, "127.0.0.1", (unsigned short)atoi(arguments[1]), changed, NULL)) return 1;
    while (!is_online && !is_over) xmpp_run_once(context, 1);
    start = processor_time();
    for (long number = 0; number < messages && !is_over;) {
        for (int part = 0; part < 200 && number < messages; part++) send_one(connection, number++);
        xmpp_run_once(context, 0);
    }
    xmpp_stanza_t *last = xmpp_message_new(context, "chat", "capulet.example", "last");
    xmpp_message_set_body(last, "count");
    xmpp_send(connection, last);
    xmpp_stanza_release(last);
    while (!is_over) xmpp_run_once(context, 1);
    return 0;
}
