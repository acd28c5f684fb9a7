/* expat alone over a file, with namespaces: the text of each message's body is collected, nothing else is kept. */
#include "corpus.h"
#include <expat.h>

static int depth, in_message, in_body;
static char *text;
static size_t length, capacity;

static void opened(void *data, const char *name, const char **attributes) {
    (void)data, (void)attributes;
    depth++;
    if (depth == 2) in_message = !strcmp(name, "jabber:client|message");
    if (depth == 3 && in_message && !in_body && !strcmp(name, "jabber:client|body")) in_body = 1, length = 0;
}

static void closed(void *data, const char *name) {
    (void)data;
    if (depth == 3 && in_body && !strcmp(name, "jabber:client|body")) in_body = 0, bodies++, body_bytes += length;
    if (depth == 2) stanzas++;
    depth--;
}

static void characters(void *data, const char *bytes, int count) {
    (void)data;
    if (!in_body || depth != 3) return;
    if (length + count > capacity) text = realloc(text, capacity = (length + count) * 2);
    memcpy(text + length, bytes, count);
    length += count;
}

int main(int count, char **arguments) {
    long size;
    char *stream = read_stream(count, arguments, &size);

    double start = processor_time();
    XML_Parser parser = XML_ParserCreateNS(NULL, '|');
    XML_SetElementHandler(parser, opened, closed);
    XML_SetCharacterDataHandler(parser, characters);
    for (long offset = 0; offset < size; offset += 16384) {
        long part = size - offset < 16384 ? size - offset : 16384;
        if (!XML_Parse(parser, stream + offset, (int)part, offset + part == size)) {
            fprintf(stderr, "expat refuses the stream\n");
            return 1;
        }
    }
    report("expat", start);
    XML_ParserFree(parser);
    return 0;
}
