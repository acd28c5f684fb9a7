/* QXmpp receives the corpus of loopback_server.py, or sends to it: composed as its messages, two hundred in each turn of its event
 * loop. Its extensions are removed.
 *   receive PORT STANZAS
 *   send PORT MESSAGES
 */
#include <QCoreApplication>
#include <QTimer>
#include <QXmppClient.h>
#include <QXmppConfiguration.h>
#include <QXmppElement.h>
#include <QXmppLogger.h>
#include <QXmppMessage.h>

extern "C" {
#include "messages.h"
}

static QXmppMessage message(long number) {
    char id[64], body[160];
    make_message(number, id, body);
    QXmppMessage message(QString(), RECEIVER, QString::fromUtf8(body));
    message.setId(id);
    message.setReceiptRequested(true);
    message.setState(QXmppMessage::Active);
    QXmppElement origin;
    origin.setTagName("origin-id");
    origin.setAttribute("xmlns", "urn:xmpp:sid:0");
    origin.setAttribute("id", id);
    message.setExtensions({origin});
    return message;
}

int main(int count, char **arguments) {
    QCoreApplication program(count, arguments);
    int port = read_arguments(count, arguments);
    QXmppLogger::getLogger()->setLoggingType(QXmppLogger::NoLogging);
    QXmppClient client;
    for (auto *extension : client.extensions()) client.removeExtension(extension);
    QObject::connect(&client, &QXmppClient::messageReceived, [](const QXmppMessage &received) {
        const QByteArray body = received.body().toUtf8();
        // The end of the event loop takes the client apart, which is not measured.
        if (!body.isEmpty() && is_last("qxmpp", body.constData())) _Exit(0);
    });
    auto ask = [&client] { client.sendPacket(QXmppMessage(QString(), SERVER, question())); };
    long sent = 0;
    QTimer turn;
    QObject::connect(&turn, &QTimer::timeout, [&] {
        for (int part = 0; part < 200 && sent < amount; part++) client.sendPacket(message(sent++));
        if (sent < amount) return;
        turn.stop();
        ask();
    });
    QObject::connect(&client, &QXmppClient::connected, [&] {
        start = processor_time();
        if (is_sending) turn.start(0);
        else ask();
    });
    QObject::connect(&client, &QXmppClient::disconnected, [] { _Exit(1); });
    QXmppConfiguration configuration;
    configuration.setJid(ACCOUNT);
    configuration.setPassword("secret");
    configuration.setHost("127.0.0.1");
    configuration.setPort(port);
    configuration.setStreamSecurityMode(QXmppConfiguration::TLSDisabled);
    configuration.setSaslAuthMechanism("SCRAM-SHA-1");
    configuration.setAutoReconnectionEnabled(false);
    configuration.setKeepAliveInterval(0);
    client.connectToServer(configuration);
    return program.exec();
}
