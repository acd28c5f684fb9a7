/* loudmouth receives the corpus of loopback_server.py, or sends to it: composed as its messages, two hundred in each turn of its
 * main loop. It logs in with PLAIN, the only mechanism that it has without Kerberos.
 *   receive PORT STANZAS
 *   send PORT MESSAGES
 */
#include "messages.h"
#include <loudmouth/loudmouth.h>

static GMainLoop *loop;
static long sent;

static LmHandlerResult received(LmMessageHandler *handler, LmConnection *connection, LmMessage *message, gpointer data) {
    (void)handler, (void)connection, (void)data;
    LmMessageNode *body = lm_message_node_get_child(message->node, "body");
    const char *text = body ? lm_message_node_get_value(body) : NULL;
    if (text && is_last("loudmouth", text)) g_main_loop_quit(loop);
    return LM_HANDLER_RESULT_REMOVE_MESSAGE;
}

static LmMessageNode *add(LmMessage *message, const char *name, const char *space) {
    LmMessageNode *child = lm_message_node_add_child(message->node, name, NULL);
    lm_message_node_set_attribute(child, "xmlns", space);
    return child;
}

static void send_and_release(LmConnection *connection, LmMessage *message) {
    if (!lm_connection_send(connection, message, NULL)) exit(1);
    lm_message_unref(message);
}

static void ask(LmConnection *connection) {
    LmMessage *message = lm_message_new_with_sub_type(SERVER, LM_MESSAGE_TYPE_MESSAGE, LM_MESSAGE_SUB_TYPE_CHAT);
    lm_message_node_add_child(message->node, "body", question());
    send_and_release(connection, message);
}

static gboolean send_some(gpointer connection) {
    for (int part = 0; part < 200 && sent < amount; part++) {
        char id[64], body[160];
        make_message(sent++, id, body);
        LmMessage *message = lm_message_new_with_sub_type(RECEIVER, LM_MESSAGE_TYPE_MESSAGE, LM_MESSAGE_SUB_TYPE_CHAT);
        lm_message_node_set_attribute(message->node, "id", id);
        lm_message_node_add_child(message->node, "body", body);
        add(message, "request", "urn:xmpp:receipts");
        lm_message_node_set_attribute(add(message, "origin-id", "urn:xmpp:sid:0"), "id", id);
        add(message, "active", "http://jabber.org/protocol/chatstates");
        send_and_release(connection, message);
    }
    if (sent < amount) return TRUE;
    ask(connection);
    return FALSE;
}

int main(int count, char **arguments) {
    int port = read_arguments(count, arguments);
    loop = g_main_loop_new(NULL, FALSE);
    LmConnection *connection = lm_connection_new("127.0.0.1");
    lm_connection_set_port(connection, port);
    lm_connection_set_jid(connection, ACCOUNT);
    if (!lm_connection_open_and_block(connection, NULL)) return 1;
    if (!lm_connection_authenticate_and_block(connection, "juliet", "secret", "balcony-7f3a", NULL)) return 1;
    LmMessageHandler *handler = lm_message_handler_new(received, NULL, NULL);
    lm_connection_register_message_handler(connection, handler, LM_MESSAGE_TYPE_MESSAGE, LM_HANDLER_PRIORITY_NORMAL);
    start = processor_time();
    if (is_sending) g_idle_add(send_some, connection);
    else ask(connection);
    g_main_loop_run(loop);
    return 0;
}
