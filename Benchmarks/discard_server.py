#!/usr/bin/env python3
"""A server on loopback that logs one account in, then reads and discards what the client sends.

usage: discard_server.py -- prints the port it listens on, and ends when its standard input is closed

Login by SCRAM-SHA-1 or PLAIN (juliet@capulet.example, password "secret"), binding, and stream management (XEP-0198) for who
enables it. After the login it counts messages. It answers each <r/>, and a message whose body is "count" with the number
before it. It is not for anything but measuring: it trusts the client and reads no XML.
"""
import base64
import hashlib
import hmac
import re
import socket
import sys
import threading

ITERATIONS = 4096
SALT = b"a fixed salt for the benchmark"
SALTED = hashlib.pbkdf2_hmac("sha1", b"secret", SALT, ITERATIONS)
OPENING = (
    "<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'"
    " id='measured' from='capulet.example' version='1.0'><stream:features>"
)
MECHANISMS = (
    "<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><mechanism>SCRAM-SHA-1</mechanism>"
    "<mechanism>PLAIN</mechanism></mechanisms></stream:features>"
)
BINDING = "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/><sm xmlns='urn:xmpp:sm:3'/></stream:features>"
# The longest read. Larger than what a client has on the way, so that the client never waits for this server.
READ_SIZE = 1 << 20
# What the end of a read may contain of a tag that the next read completes.
TAIL = 16


def attribute(element, name):
    found = re.search(name.encode() + rb"=['\"]([^'\"]*)", element)
    return found.group(1).decode() if found else ""


class Login:
    """The dialogue until the first message; returns the bytes that belong to the next part."""

    def __init__(self, connection):
        self.connection = connection
        self.is_authenticated = False
        self.challenge = None

    def send(self, text):
        self.connection.sendall(text.encode())

    def run(self):
        buffer = b""
        while True:
            more = self.connection.recv(65536)
            if not more:
                return None
            buffer += more
            while True:
                buffer = re.sub(rb"^\s*(<\?xml[^>]*\?>)?\s*", b"", buffer)
                found = re.match(rb"<([A-Za-z:]+)", buffer)
                end = buffer.find(b">") + 1
                if not found or not end:
                    break
                name = found.group(1)
                if name == b"message":
                    return buffer
                if name != b"stream:stream" and buffer[end - 2 : end - 1] != b"/":
                    close = b"</" + name + b">"
                    end = buffer.find(close) + len(close)
                    if end < len(close):
                        break
                element, buffer = buffer[:end], buffer[end:]
                self.answer(name, element)

    def answer(self, name, element):
        if name == b"stream:stream":
            self.send(OPENING + (BINDING if self.is_authenticated else MECHANISMS))
        elif name in (b"auth", b"response"):
            content = base64.b64decode(re.sub(rb"<[^>]*>", b"", element).strip() or b"")
            self.authenticate(attribute(element, "mechanism"), content)
        elif name == b"iq":
            address = "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>juliet@capulet.example/balcony</jid></bind>"
            identifier = attribute(element, "id")
            self.send(f"<iq type='result' id='{identifier}'>{address if b'xmpp-bind' in element else ''}</iq>")
        elif name == b"enable":
            self.send("<enabled xmlns='urn:xmpp:sm:3' id='measured' resume='true'/>")

    def authenticate(self, mechanism, content):
        sasl = "xmlns='urn:ietf:params:xml:ns:xmpp-sasl'"
        if mechanism == "PLAIN":
            self.is_authenticated = True
            self.send(f"<success {sasl}/>")
        elif mechanism:
            first = content.split(b",", 2)[2]
            nonce = dict(part.split(b"=", 1) for part in first.split(b","))[b"r"] + b"server"
            reply = b"r=" + nonce + b",s=" + base64.b64encode(SALT) + b",i=%d" % ITERATIONS
            self.challenge = first + b"," + reply
            self.send(f"<challenge {sasl}>{base64.b64encode(reply).decode()}</challenge>")
        elif self.challenge and content:
            signed = self.challenge + b"," + content[: content.rindex(b",p=")]
            key = hmac.new(SALTED, b"Server Key", "sha1").digest()
            signature = b"v=" + base64.b64encode(hmac.new(key, signed, "sha1").digest())
            self.is_authenticated = True
            self.send(f"<success {sasl}>{base64.b64encode(signature).decode()}</success>")


def discard(connection, part):
    """Counts messages until the connection ends."""
    messages = 0
    memory = bytearray(READ_SIZE + TAIL)
    tail = b""
    while True:
        # Tags that the tail contains completely were counted with it.
        text = tail + part
        messages += text.count(b"<message") - tail.count(b"<message")
        requests = text.count(b"<r xmlns") - tail.count(b"<r xmlns")
        if b"<body>count</body>" in text:
            answer = f"<message type='chat' from='capulet.example'><body>{messages - 1}</body></message>"
            connection.sendall(answer.encode())
            messages = 0 if not requests else messages
        if requests:
            connection.sendall(f"<a xmlns='urn:xmpp:sm:3' h='{messages}'/>".encode())
        if b"</stream:stream>" in text:
            connection.sendall(b"</stream:stream>")
            return
        tail = text[-TAIL:]
        count = connection.recv_into(memory, READ_SIZE)
        if not count:
            return
        part = bytes(memory[:count])


def serve(connection):
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        part = Login(connection).run()
        if part is not None:
            discard(connection, part)
    except OSError:
        pass
    finally:
        connection.close()


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)

    def accept():
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    sys.stdin.read()


main()
