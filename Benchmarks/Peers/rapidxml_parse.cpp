/* rapidxml over a file, in place and without a check of characters, names and namespaces: what a parser takes at least. It reads no
 * streams, so the stanzas are cut before the time is taken. */
#include "corpus.h"
#include <rapidxml/rapidxml.hpp>
#include <vector>

/* The beginnings of the children of the outermost element, and its end. */
static std::vector<long> cut(const char *stream, long size) {
    std::vector<long> places;
    int depth = 0;
    for (long i = 0; i < size; i++) {
        if (stream[i] != '<') continue;
        long first = i;
        char quote = 0;
        for (; quote || stream[i] != '>'; i++) {
            if (quote ? stream[i] == quote : stream[i] == '\'' || stream[i] == '"') quote = quote ? 0 : stream[i];
        }
        if (stream[first + 1] == '?') continue;
        if (stream[first + 1] == '/') {
            if (--depth == 0) places.push_back(first);
            continue;
        }
        if (depth == 1) places.push_back(first);
        if (stream[i - 1] != '/') depth++;
    }
    return places;
}

int main(int count, char **arguments) {
    long size;
    char *stream = read_stream(count, arguments, &size);
    std::vector<long> places = cut(stream, size);
    rapidxml::xml_document<> document;
    double start = processor_time();
    for (size_t i = 0; i + 1 < places.size(); i++) {
        char next = stream[places[i + 1]];
        stream[places[i + 1]] = 0;
        document.clear();
        document.parse<0>(stream + places[i]);
        stream[places[i + 1]] = next;
        stanzas++;
        const rapidxml::xml_node<> *stanza = document.first_node();
        if (strcmp(stanza->name(), "message")) continue;
        const rapidxml::xml_node<> *body = stanza->first_node("body");
        if (!body) continue;
        bodies++;
        body_bytes += body->value_size();
    }
    report("rapidxml", start);
    return 0;
}
