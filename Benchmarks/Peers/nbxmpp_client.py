#!/usr/bin/python3
"""nbxmpp receives the corpus of loopback_server.py, or sends to it: composed as its messages, two hundred in each turn of its main
loop.

usage: nbxmpp_client.py receive PORT STANZAS
       nbxmpp_client.py send PORT MESSAGES
"""
import logging
import sys

import messages
from gi.repository import GLib
from nbxmpp.client import Client
from nbxmpp.const import ConnectionProtocol, ConnectionType, Mode
from nbxmpp.protocol import Message
from nbxmpp.structs import StanzaHandler

work = messages.Work("nbxmpp")
sent = 0


def received(_client, stanza, properties):
    # The library unpacks what carbons and the archive contain; the other programs do not count that.
    body = None if properties.is_mam_message or properties.is_carbon_message else stanza.getBody()
    if body:
        work.received(body)


def ask(client):
    client.send_stanza(Message(to=messages.SERVER, body=work.question, typ="chat"))


def send_some(client):
    global sent
    for number in range(sent, min(sent + 200, work.amount)):
        name, body = work.message(number)
        message = Message(to=messages.RECEIVER, body=body, typ="chat")
        message.setID(name)
        message.setReceiptRequest()
        message.setOriginID(name)
        message.setTag("active", namespace="http://jabber.org/protocol/chatstates")
        client.send_stanza(message)
    sent += 200
    if sent < work.amount:
        return True
    ask(client)
    return False


def connected(client, *_):
    client.register_handler(StanzaHandler(name="message", callback=received, priority=50))
    work.start = messages.processor_time()
    if work.is_sending:
        GLib.idle_add(send_some, client)
    else:
        ask(client)


logging.disable(logging.CRITICAL)
client = Client(log_context="measured")
client.set_username("juliet")
client.set_domain(messages.SERVER)
client.set_resource("balcony-7f3a")
client.set_password("secret")
client.set_mode(Mode.CLIENT)
client.set_mechs({"SCRAM-SHA-1"})
client.set_custom_host(f"127.0.0.1:{work.port}", ConnectionProtocol.TCP, ConnectionType.PLAIN)
client.subscribe("connected", connected)
client.subscribe("connection-failed", lambda *_: sys.exit(1))
client.subscribe("disconnected", lambda *_: sys.exit(1))
client.connect()
GLib.MainLoop().run()
