/* gloox' parser over a file: bytes to elements, the body of each message as text. */
#include "corpus.h"
#include <gloox/parser.h>
#include <gloox/tag.h>
#include <gloox/taghandler.h>
#include <string>

struct Receiver : gloox::TagHandler {
    void handleTag(gloox::Tag *tag) override {
        if (tag->name() == "stream") return;
        stanzas++;
        if (tag->name() != "message") return;
        const gloox::Tag *body = tag->findChild("body");
        if (!body) return;
        bodies++;
        body_bytes += body->cdata().size();
    }
};

int main(int count, char **arguments) {
    long size;
    char *stream = read_stream(count, arguments, &size);
    double start = processor_time();
    Receiver receiver;
    gloox::Parser parser(&receiver);
    for (long offset = 0; offset < size; offset += 16384) {
        std::string part(stream + offset, size - offset < 16384 ? size - offset : 16384);
        if (parser.feed(part) >= 0) {
            fprintf(stderr, "gloox refuses the stream\n");
            return 1;
        }
    }
    report("gloox", start);
    return 0;
}
