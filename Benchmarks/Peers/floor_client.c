/* A blocking client in C on OpenSSL, without a library and without a parser: it looks for the tags that Prosody sends. It is no
 * peer; it shows what the machine and the server allow.
 *   pingpong PORT MESSAGES OUTSTANDING   messages there and back between two sessions, all of a turn in one record
 *   idle PORT SESSIONS                   the memory of idle sessions
 *   login PORT LOGINS first|kept         logins over TLS: with the password, or with kept keys and TLS sessions
 */
#define _GNU_SOURCE
#include "measurement.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#define HEADER "<?xml version='1.0'?><stream:stream to='capulet.example' version='1.0' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>"
#define SASL " xmlns='urn:ietf:params:xml:ns:xmpp-sasl'"

struct session {
    int socket, length;
    SSL *ssl;
    char buffer[1 << 17];
};

static SSL_CTX *context;
static int port, keeps, has_keys;
static unsigned char salted[20];
static SSL_SESSION *kept;

static void fail(const char *reason) {
    fprintf(stderr, "%s\n", reason);
    exit(1);
}

static void put(struct session *session, const char *text) {
    int length = (int)strlen(text);
    if ((session->ssl ? SSL_write(session->ssl, text, length) : (int)write(session->socket, text, length)) != length) fail("write");
}

static void get(struct session *session) {
    int one = 1, room = (int)sizeof session->buffer - 1 - session->length;
    char *end = session->buffer + session->length;
    setsockopt(session->socket, IPPROTO_TCP, TCP_QUICKACK, &one, sizeof one);
    int count = session->ssl ? SSL_read(session->ssl, end, room) : (int)read(session->socket, end, room);
    if (count <= 0) fail("read");
    session->length += count;
    session->buffer[session->length] = 0;
}

static char *until(struct session *session, const char *text) {
    char *found;
    while (!session->length || !(found = strstr(session->buffer, text))) get(session);
    return found;
}

static void clear(struct session *session) {
    session->length = 0;
    session->buffer[0] = 0;
}

static void hmac(const void *key, int key_length, const void *data, size_t length, unsigned char *result) {
    unsigned size = 20;
    HMAC(EVP_sha1(), key, key_length, data, length, result, &size);
}

/* Base64 without the padding that OpenSSL decodes to zeros. */
static int decode(unsigned char *result, const char *text, int length) {
    int size = EVP_DecodeBlock(result, (const unsigned char *)text, length), padding = 0;
    while (padding < length && text[length - 1 - padding] == '=') padding++;
    result[size - padding] = 0;
    return size - padding;
}

static void authenticate(struct session *session, const char *user) {
    unsigned char random[16], decoded[1024], salt[256], client[20], stored[20], signature[20], encoded[2048], proof[64];
    char nonce[33], first[256], text[4096], message[2048], final[800], bare[600];
    RAND_bytes(random, sizeof random);
    for (int index = 0; index < 16; index++) sprintf(nonce + 2 * index, "%02x", random[index]);
    snprintf(first, sizeof first, "n=%s,r=%s", user, nonce);
    snprintf(message, sizeof message, "n,,%s", first);
    EVP_EncodeBlock(encoded, (unsigned char *)message, (int)strlen(message));
    snprintf(text, sizeof text, "%s<auth" SASL " mechanism='SCRAM-SHA-1'>%s</auth>", HEADER, encoded);
    put(session, text);
    until(session, "</challenge>");
    char *begin = strchr(strstr(session->buffer, "<challenge"), '>') + 1;
    decode(decoded, begin, (int)(strstr(begin, "</") - begin));
    char *reply = (char *)decoded, *salt_text = strstr(reply, ",s="), *count = strstr(reply, ",i=");
    snprintf(bare, sizeof bare, "c=biws,r=%.*s", (int)(salt_text - reply - 2), reply + 2);
    snprintf(message, sizeof message, "%s,%s,%s", first, reply, bare);
    if (!keeps || !has_keys) {
        int length = decode(salt, salt_text + 3, (int)(count - salt_text - 3));
        PKCS5_PBKDF2_HMAC("secret", 6, salt, length, atoi(count + 3), EVP_sha1(), 20, salted);
        has_keys = 1;
    }
    hmac(salted, 20, "Client Key", 10, client);
    EVP_Digest(client, 20, stored, NULL, EVP_sha1(), NULL);
    hmac(stored, 20, message, strlen(message), signature);
    for (int index = 0; index < 20; index++) signature[index] ^= client[index];
    EVP_EncodeBlock(proof, signature, 20);
    snprintf(final, sizeof final, "%s,p=%s", bare, proof);
    EVP_EncodeBlock(encoded, (unsigned char *)final, (int)strlen(final));
    clear(session);
    snprintf(text, sizeof text, "<response" SASL ">%s</response>", encoded);
    put(session, text);
    until(session, "<success");
    clear(session);
}

static struct session *log_in(const char *user, const char *resource) {
    struct session *session = calloc(1, sizeof *session);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int one = 1;
    char text[1024];
    session->socket = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(session->socket, (struct sockaddr *)&address, sizeof address)) fail("connect");
    setsockopt(session->socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    put(session, HEADER "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>");
    until(session, "<proceed");
    clear(session);
    session->ssl = SSL_new(context);
    SSL_set_fd(session->ssl, session->socket);
    SSL_set_tlsext_host_name(session->ssl, "capulet.example");
    if (keeps && kept) SSL_set_session(session->ssl, kept);
    if (SSL_connect(session->ssl) != 1) fail("tls");
    authenticate(session, user);
    snprintf(text, sizeof text,
        HEADER "<iq type='set' id='b'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><resource>%s</resource></bind></iq>", resource);
    put(session, text);
    until(session, "</jid>");
    until(session, "</iq>");
    clear(session);
    if (keeps && !kept) kept = SSL_get1_session(session->ssl);
    return session;
}

static void log_out(struct session *session) {
    SSL_shutdown(session->ssl);
    SSL_free(session->ssl);
    close(session->socket);
    free(session);
}

static void ping_pong(long messages, long outstanding) {
    static char output[1 << 17];
    struct session *sessions[2] = {log_in("juliet", "a"), log_in("romeo", "b")};
    struct pollfd waits[2] = {{sessions[0]->socket, POLLIN, 0}, {sessions[1]->socket, POLLIN, 0}};
    const char *receivers[2] = {"romeo@capulet.example/b", "juliet@capulet.example/a"};
    put(sessions[0], "<presence/>");
    put(sessions[1], "<presence/>");
    while (poll(waits, 2, 500) > 0) {
        for (int end = 0; end < 2; end++) {
            if (waits[end].revents) get(sessions[end]);
        }
    }
    clear(sessions[0]);
    clear(sessions[1]);
    double start = processor_time();
    long sent = 0, came_back = 0;
    char *place = output;
    for (; sent < outstanding; sent++) {
        place += sprintf(place, "<message to='%s' type='chat'><body>message number %ld: lunch at 12 &amp; code review &lt;later&gt; 你好 🚀</body></message>", receivers[0], sent);
    }
    put(sessions[0], output);
    while (came_back < messages) {
        poll(waits, 2, 1000);
        for (int end = 0; end < 2; end++) {
            struct session *session = sessions[end];
            if (!waits[end].revents) continue;
            do get(session);
            while (SSL_pending(session->ssl));
            char *close, *from = session->buffer;
            place = output;
            for (; (close = strstr(from, "</message>")); from = close + 10) {
                char *body = strstr(from, "<body>"), *body_end = strstr(body, "</body>");
                if (end) {
                    place += sprintf(place, "<message to='%s' type='chat'>%.*s</body></message>", receivers[1], (int)(body_end - body), body);
                    continue;
                }
                came_back++;
                if (sent >= messages) continue;
                place += sprintf(place, "<message to='%s' type='chat'><body>message number %ld: lunch at 12 &amp; code review &lt;later&gt; 你好 🚀</body></message>", receivers[0], sent++);
            }
            session->length -= (int)(from - session->buffer);
            memmove(session->buffer, from, session->length + 1);
            if (place > output) put(session, output);
        }
    }
    printf("floor %f us/message stanzas=%ld\n", (processor_time() - start) / (2 * messages) * 1e6, 2 * messages);
}

static void hold(long sessions) {
    raise_file_limit();
    long before = 0;
    for (long number = 0; number <= sessions; number++) {
        char resource[32];
        snprintf(resource, sizeof resource, "r%ld", number);
        log_in("juliet", resource);
        if (!number) before = anonymous_memory();
    }
    printf("floor %f KiB/session stanzas=%ld\n", (anonymous_memory() - before) / (double)sessions, sessions);
}

static void measure_logins(long logins) {
    double *times = calloc(logins + 2, sizeof *times), *used = calloc(logins + 2, sizeof *used);
    for (long number = 0; number < logins + 2; number++) {
        double began = wall_time(), use = processor_time();
        struct session *session = log_in("juliet", "login");
        times[number] = (wall_time() - began) * 1e3;
        used[number] = (processor_time() - use) * 1e3;
        log_out(session);
    }
    report_logins(times, used, (int)logins + 2);
}

int main(int arguments, char **argument) {
    if (arguments < 4) return 2;
    port = atoi(argument[2]);
    long number = atol(argument[3]);
    context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    if (!strcmp(argument[1], "pingpong") && arguments == 5) {
        ping_pong(number, atol(argument[4]));
    } else if (!strcmp(argument[1], "idle")) {
        hold(number);
    } else if (!strcmp(argument[1], "login") && arguments == 5) {
        keeps = !strcmp(argument[4], "kept");
        measure_logins(number);
    } else {
        return 2;
    }
    return 0;
}
