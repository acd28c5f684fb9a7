/* gloox receives the corpus of loopback_server.py, or sends to it: composed as its messages, one after the other.
 *   receive PORT STANZAS
 *   send PORT MESSAGES
 */
#include <gloox/chatstate.h>
#include <gloox/client.h>
#include <gloox/connectionlistener.h>
#include <gloox/message.h>
#include <gloox/messagehandler.h>
#include <gloox/receipt.h>
#include <gloox/stanzaextension.h>
#include <string>

extern "C" {
#include "messages.h"
}

using namespace gloox;

/* An origin identifier, which the library does not know. */
class OriginID : public StanzaExtension {
    std::string id;

public:
    explicit OriginID(const std::string &id) : StanzaExtension(ExtUser + 1), id(id) {}
    const std::string &filterString() const override {
        static const std::string filter = "/message/origin-id[@xmlns='urn:xmpp:sid:0']";
        return filter;
    }
    StanzaExtension *newInstance(const Tag *tag) const override { return new OriginID(tag->findAttribute("id")); }
    Tag *tag() const override {
        Tag *tag = new Tag("origin-id");
        tag->setXmlns("urn:xmpp:sid:0");
        tag->addAttribute("id", id);
        return tag;
    }
    StanzaExtension *clone() const override { return new OriginID(id); }
};

class Program : public MessageHandler, public ConnectionListener {
public:
    Client client;
    bool isOnline = false, isOver = false;

    explicit Program(int port) : client(JID(ACCOUNT), "secret", port) {
        client.setServer("127.0.0.1");
        client.setTls(TLSDisabled);
        client.setCompression(false);
        client.setSASLMechanisms(SaslMechScramSha1);
        client.disableRoster();
        client.registerMessageHandler(this);
        client.registerConnectionListener(this);
    }

    void handleMessage(const Message &message, MessageSession *) override {
        const std::string body = message.body();
        if (!body.empty() && is_last("gloox", body.c_str())) isOver = true;
    }

    void onConnect() override { isOnline = true; }
    void onDisconnect(ConnectionError) override { isOver = true; }
    bool onTLSConnect(const CertInfo &) override { return true; }

    void ask() { client.send(Message(Message::Chat, JID(SERVER), question())); }

    void send(long number) {
        char id[64], body[160];
        make_message(number, id, body);
        Message message(Message::Chat, JID(RECEIVER), body);
        message.setID(id);
        message.addExtension(new Receipt(Receipt::Request));
        message.addExtension(new OriginID(id));
        message.addExtension(new ChatState(ChatStateActive));
        client.send(message);
    }
};

int main(int count, char **arguments) {
    Program program(read_arguments(count, arguments));
    if (!program.client.connect(false)) return 1;
    while (!program.isOnline && !program.isOver) program.client.recv(1000);
    start = processor_time();
    for (long number = 0; is_sending && number < amount; number++) program.send(number);
    program.ask();
    while (!program.isOver) program.client.recv(1000000);
    return 0;
}
