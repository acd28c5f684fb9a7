/* libstrophe's parser over a file: bytes to stanza objects, the body of each message as text.
   The parser is not in its public header; the static library has it. */
#include "corpus.h"
#include <strophe.h>

typedef struct _parser_t parser_t;
parser_t *parser_new(xmpp_ctx_t *context, void (*opened)(char *, char **, void *), void (*closed)(char *, void *),
                     void (*stanza)(xmpp_stanza_t *, void *), void *data);
int parser_feed(parser_t *parser, char *bytes, int count);
void parser_free(parser_t *parser);


static void opened(char *name, char **attributes, void *data) { (void)name, (void)attributes, (void)data; }
static void closed(char *name, void *data) { (void)name, (void)data; }

static void received(xmpp_stanza_t *stanza, void *data) {
    (void)data;
    stanzas++;
    const char *name = xmpp_stanza_get_name(stanza);
    if (!name || strcmp(name, "message")) return;
    xmpp_stanza_t *body = xmpp_stanza_get_child_by_name(stanza, "body");
    if (!body) return;
    bodies++;
    char *text = xmpp_stanza_get_text(body);
    if (!text) return;
    body_bytes += strlen(text);
    xmpp_free(xmpp_stanza_get_context(stanza), text);
}

int main(int count, char **arguments) {
    long size;
    char *stream = read_stream(count, arguments, &size);

    xmpp_initialize();
    xmpp_ctx_t *context = xmpp_ctx_new(NULL, NULL);
    double start = processor_time();
    parser_t *parser = parser_new(context, opened, closed, received, NULL);
    for (long offset = 0; offset < size; offset += 16384) {
        long length = size - offset < 16384 ? size - offset : 16384;
        if (!parser_feed(parser, stream + offset, (int)length)) {
            fprintf(stderr, "libstrophe refuses the stream\n");
            return 1;
        }
    }
    report("libstrophe", start);
    parser_free(parser);
    xmpp_ctx_free(context);
    return 0;
}
