/* libxml2 alone over a file, with namespaces, by its SAX interface: the text of each message's body is collected, nothing else is
 * kept. */
#include "corpus.h"
#include <libxml/parser.h>

static int depth, in_message, in_body;
static char *text;
static size_t length, capacity;

static int is_named(const xmlChar *name, const xmlChar *space, const char *wanted) {
    return space && !strcmp((const char *)name, wanted) && !strcmp((const char *)space, "jabber:client");
}

static void opened(void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *space, int declarations,
                   const xmlChar **declared, int count, int defaults, const xmlChar **attributes) {
    (void)data, (void)prefix, (void)declarations, (void)declared, (void)count, (void)defaults, (void)attributes;
    depth++;
    if (depth == 2) in_message = is_named(name, space, "message");
    if (depth == 3 && in_message && !in_body && is_named(name, space, "body")) in_body = 1, length = 0;
}

static void closed(void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *space) {
    (void)data, (void)prefix;
    if (depth == 3 && in_body && is_named(name, space, "body")) in_body = 0, bodies++, body_bytes += length;
    if (depth == 2) stanzas++;
    depth--;
}

static void characters(void *data, const xmlChar *bytes, int count) {
    (void)data;
    if (!in_body || depth != 3) return;
    if (length + count > capacity) text = realloc(text, capacity = (length + count) * 2);
    memcpy(text + length, bytes, count);
    length += count;
}

int main(int count, char **arguments) {
    long size;
    char *stream = read_stream(count, arguments, &size);
    xmlSAXHandler handler;
    memset(&handler, 0, sizeof handler);
    handler.initialized = XML_SAX2_MAGIC;
    handler.startElementNs = opened;
    handler.endElementNs = closed;
    handler.characters = characters;
    double start = processor_time();
    xmlParserCtxtPtr parser = xmlCreatePushParserCtxt(&handler, NULL, NULL, 0, NULL);
    xmlCtxtUseOptions(parser, XML_PARSE_HUGE);
    for (long offset = 0; offset < size; offset += 16384) {
        long part = size - offset < 16384 ? size - offset : 16384;
        if (xmlParseChunk(parser, stream + offset, (int)part, offset + part == size)) {
            fprintf(stderr, "libxml2 refuses the stream\n");
            return 1;
        }
    }
    report("libxml2", start);
    return 0;
}
