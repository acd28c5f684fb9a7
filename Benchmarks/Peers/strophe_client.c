/* libstrophe as a client:
 *   receive PORT STANZAS                 the corpus of loopback_server.py
 *   pingpong PORT MESSAGES OUTSTANDING   messages there and back between two sessions, through Prosody over TLS
 *   idle PORT SESSIONS plain|tls         the memory of idle sessions
 *   login PORT LOGINS                    logins over TLS
 */
#include "measurement.h"
#include <strophe.h>

static xmpp_ctx_t *context;
static long is_online, is_over, messages, received, outstanding;
static double start;

static void changed(xmpp_conn_t *connection, xmpp_conn_event_t event, int error, xmpp_stream_error_t *reason, void *data) {
    (void)connection, (void)error, (void)reason, (void)data;
    if (event == XMPP_CONN_CONNECT) is_online++;
    else if (event == XMPP_CONN_DISCONNECT || event == XMPP_CONN_FAIL) is_over++;
}

static xmpp_conn_t *connect_to(int port, const char *address, int uses_tls) {
    xmpp_conn_t *connection = xmpp_conn_new(context);
    xmpp_conn_set_flags(connection, uses_tls ? XMPP_CONN_FLAG_MANDATORY_TLS | XMPP_CONN_FLAG_TRUST_TLS : XMPP_CONN_FLAG_DISABLE_TLS);
    xmpp_conn_set_jid(connection, address);
    xmpp_conn_set_pass(connection, "secret");
    if (xmpp_connect_client(connection, "127.0.0.1", (unsigned short)port, changed, NULL)) exit(1);
    return connection;
}

/* Runs until so many sessions are online. */
static void wait_for(long sessions) {
    while (is_online < sessions && !is_over) xmpp_run_once(context, 10);
    if (is_online < sessions) exit(1);
}

static void send_text(xmpp_conn_t *connection, const char *receiver, const char *text) {
    xmpp_stanza_t *message = xmpp_message_new(context, "chat", receiver, NULL);
    xmpp_message_set_body(message, text);
    xmpp_send(connection, message);
    xmpp_stanza_release(message);
}

static void send_presence(xmpp_conn_t *connection) {
    xmpp_stanza_t *presence = xmpp_presence_new(context);
    xmpp_send(connection, presence);
    xmpp_stanza_release(presence);
}

/* Receiving */

static int count(xmpp_conn_t *connection, xmpp_stanza_t *message, void *data) {
    (void)connection, (void)data;
    xmpp_stanza_t *body = xmpp_stanza_get_child_by_name(message, "body");
    char *text = body ? xmpp_stanza_get_text(body) : NULL;
    if (!text) return 1;
    if (strcmp(text, "end")) {
        received++;
    } else {
        printf("libstrophe %f us/stanza bodies=%ld\n", (processor_time() - start) / messages * 1e6, received);
        is_over = 1;
    }
    xmpp_free(context, text);
    return 1;
}

static void receive(int port) {
    xmpp_conn_t *connection = connect_to(port, "juliet@capulet.example/balcony-7f3a", 0);
    wait_for(1);
    xmpp_handler_add(connection, count, NULL, "message", NULL, NULL);
    send_presence(connection);
    start = processor_time();
    send_text(connection, "capulet.example", "go");
    while (!is_over) xmpp_run_once(context, 1000);
}

/* There and back */

static void text_of(char *text, size_t size, long number) {
    snprintf(text, size, "message number %ld: lunch at 12 & code review <later> 你好 🚀", number);
}

static int came_back(xmpp_conn_t *connection, xmpp_stanza_t *message, void *data) {
    (void)data;
    char *body = xmpp_message_get_body(message), text[160];
    if (!body) return 1;
    xmpp_free(context, body);
    long next = ++received + outstanding - 1;
    if (received == messages) is_over = 1;
    if (next >= messages) return 1;
    text_of(text, sizeof text, next);
    send_text(connection, xmpp_stanza_get_from(message), text);
    return 1;
}

static int echo(xmpp_conn_t *connection, xmpp_stanza_t *message, void *data) {
    (void)data;
    char *body = xmpp_message_get_body(message);
    if (!body) return 1;
    send_text(connection, xmpp_stanza_get_from(message), body);
    xmpp_free(context, body);
    return 1;
}

static void ping_pong(int port) {
    xmpp_conn_t *one = connect_to(port, "juliet@capulet.example/a", 1), *other = connect_to(port, "romeo@capulet.example/b", 1);
    wait_for(2);
    xmpp_handler_add(one, came_back, NULL, "message", NULL, NULL);
    xmpp_handler_add(other, echo, NULL, "message", NULL, NULL);
    send_presence(one);
    send_presence(other);
    for (double end = wall_time() + 0.5; wall_time() < end;) xmpp_run_once(context, 5);
    start = processor_time();
    for (long number = 0; number < outstanding; number++) {
        char text[160];
        text_of(text, sizeof text, number);
        send_text(one, "romeo@capulet.example/b", text);
    }
    while (!is_over) xmpp_run_once(context, 1000);
    printf("libstrophe %f us/message stanzas=%ld\n", (processor_time() - start) / (2 * messages) * 1e6, 2 * messages);
}

/* Idle sessions and logins */

static void hold(int port, int uses_tls) {
    raise_file_limit();
    long before = 0;
    for (long number = 0; number <= messages; number++) {
        char address[64];
        snprintf(address, sizeof address, "juliet@capulet.example/r%ld", number);
        connect_to(port, address, uses_tls);
        wait_for(number + 1);
        if (!number) before = anonymous_memory();
    }
    printf("libstrophe %f KiB/session stanzas=%ld\n", (anonymous_memory() - before) / (double)messages, messages);
}

static void log_in(int port) {
    double *times = calloc(messages + 2, sizeof *times), *used = calloc(messages + 2, sizeof *used);
    for (long number = 0; number < messages + 2; number++) {
        double began = wall_time(), use = processor_time();
        is_online = is_over = 0;
        xmpp_conn_t *connection = connect_to(port, "juliet@capulet.example", 1);
        wait_for(1);
        times[number] = (wall_time() - began) * 1e3;
        used[number] = (processor_time() - use) * 1e3;
        xmpp_disconnect(connection);
        while (!is_over) xmpp_run_once(context, 10);
        xmpp_conn_release(connection);
    }
    report_logins(times, used, messages + 2);
}

int main(int arguments, char **argument) {
    if (arguments < 4) return 2;
    int port = atoi(argument[2]);
    messages = atol(argument[3]);
    xmpp_initialize();
    context = xmpp_ctx_new(NULL, xmpp_get_default_logger(XMPP_LEVEL_ERROR));
    xmpp_ctx_set_timeout(context, 1);
    if (!strcmp(argument[1], "receive")) {
        receive(port);
    } else if (!strcmp(argument[1], "pingpong") && arguments == 5) {
        outstanding = atol(argument[4]);
        ping_pong(port);
    } else if (!strcmp(argument[1], "idle") && arguments == 5) {
        hold(port, !strcmp(argument[4], "tls"));
    } else if (!strcmp(argument[1], "login")) {
        log_in(port);
    } else {
        return 2;
    }
    return 0;
}
