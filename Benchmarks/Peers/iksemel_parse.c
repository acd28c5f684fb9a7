/* iksemel's parser over a file: bytes to elements, the body of each message as text. It knows no namespaces and no numeric
 * references. */
#include "corpus.h"
#include <iksemel.h>

static int received(void *data, int type, iks *node) {
    (void)data;
    if (!node) return IKS_OK;
    if (type == IKS_NODE_NORMAL) {
        stanzas++;
        if (!iks_strcmp(iks_name(node), "message")) {
            iks *body = iks_find(node, "body");
            if (body) {
                char *text = iks_cdata(iks_child(body));
                bodies++;
                if (text) body_bytes += strlen(text);
            }
        }
    }
    iks_delete(node);
    return IKS_OK;
}

int main(int count, char **arguments) {
    long size;
    char *stream = read_stream(count, arguments, &size);
    double start = processor_time();
    iksparser *parser = iks_stream_new("jabber:client", NULL, received);
    for (long offset = 0; offset < size; offset += 16384) {
        long part = size - offset < 16384 ? size - offset : 16384;
        if (iks_parse(parser, stream + offset, part, 0) != IKS_OK) {
            fprintf(stderr, "iksemel refuses the stream\n");
            return 1;
        }
    }
    // The length of the texts is another one, because of the references.
    printf("iksemel %f us/stanza stanzas=%ld bodies=%ld\n", (processor_time() - start) / stanzas * 1e6, stanzas, bodies);
    return 0;
}
