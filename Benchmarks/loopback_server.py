#!/usr/bin/env python3
"""An XMPP server on loopback for measurements of clients.

usage: loopback_server.py [CORPUS] -- prints its port, and ends when its standard input is closed.

It accepts every account with the password "secret" (SCRAM-SHA-1 or PLAIN, without TLS), binds the resource that is asked for,
enables stream management, answers requests, and then does what a message asks it to:

* a message with the body "go" makes it send the content of CORPUS, then a message with the body "end";
* other messages are counted: a <r/> is answered with their number, and so is a message whose body is "count", which
  is not counted itself.

Sessions without a message cost one place in a table, so there may be thousands. It is not for anything but measuring: it
trusts the client and reads no XML.
"""
import base64
import hashlib
import hmac
import os
import re
import resource
import selectors
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
DISCO_INFO = "http://jabber.org/protocol/disco#info"
# The requests that are answered with more than an empty result.
ANSWERS = {
    b"jabber:iq:roster": "<query xmlns='jabber:iq:roster'/>",
    DISCO_INFO.encode(): f"<query xmlns='{DISCO_INFO}'><identity category='server' type='im'/>"
    f"<feature var='{DISCO_INFO}'/><feature var='urn:xmpp:carbons:2'/></query>",
    b"http://jabber.org/protocol/disco#items": "<query xmlns='http://jabber.org/protocol/disco#items'/>",
}
# The longest read. Larger than what a client has on the way, so that the client never waits for this server.
READ_SIZE = 1 << 20
# What the end of a read may contain of a tag that the next read completes.
TAIL = 16


def attribute(element, name):
    found = re.search(rb"\s" + name.encode() + rb"\s*=\s*['\"]([^'\"]*)", element)
    return found.group(1).decode() if found else ""


class Session:
    """The dialogue with one client until its first message."""

    # How many messages are acknowledged at once.
    held = 0

    def __init__(self, connection):
        self.connection = connection
        self.buffer = b""
        self.is_authenticated = False
        self.challenge = None
        self.address = ""

    def send(self, text):
        self.connection.sendall(text.encode())

    def received(self, more):
        """Returns the bytes from the first message on, or None before it."""
        buffer = self.buffer + more
        while True:
            buffer = re.sub(rb"^\s*(<\?xml[^>]*\?>)?\s*", b"", buffer)
            if buffer.startswith(b"</stream:stream"):
                self.send("</stream:stream>")
                self.buffer = b""
                return None
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
        self.buffer = buffer
        return None

    def answer(self, name, element):
        if name == b"stream:stream":
            self.send(OPENING + (BINDING if self.is_authenticated else MECHANISMS))
        elif name in (b"auth", b"response"):
            content = base64.b64decode(re.sub(rb"<[^>]*>", b"", element).strip() or b"")
            self.authenticate(attribute(element, "mechanism"), content)
        elif name == b"iq" and attribute(element, "type") in ("get", "set"):
            self.request(element)
        elif name == b"enable":
            self.send("<enabled xmlns='urn:xmpp:sm:3' id='measured' resume='true'/>")

    def request(self, element):
        answer = ""
        if b"xmpp-bind" in element:
            found = re.search(rb"<resource>([^<]*)", element)
            self.address = f"juliet@capulet.example/{found.group(1).decode() if found else 'balcony'}"
            answer = f"<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>{self.address}</jid></bind>"
        for namespace, payload in ANSWERS.items():
            if namespace in element:
                answer = payload
        receiver = attribute(element, "to")
        sender = f" from='{receiver}'" if receiver else ""
        self.send(f"<iq type='result' id='{attribute(element, 'id')}'{sender}>{answer}</iq>")

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


def discard(connection, part, held):
    """Counts messages until the connection ends, and acknowledges none before there are as many as are held."""
    messages = 0
    is_asked = False
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
        is_asked = is_asked or requests > 0
        if is_asked and messages >= held:
            is_asked = False
            connection.sendall(f"<a xmlns='urn:xmpp:sm:3' h='{messages}'/>".encode())
        if b"</stream:stream>" in text:
            connection.sendall(b"</stream:stream>")
            return
        tail = text[-TAIL:]
        count = connection.recv_into(memory, READ_SIZE)
        if not count:
            return
        part = bytes(memory[:count])


def drain(connection):
    """Discards what the client sends, so that it never waits, until its end."""
    text = b""
    while b"</stream:stream>" not in text:
        more = connection.recv(READ_SIZE)
        if not more:
            return
        text = text[-TAIL:] + more
    connection.sendall(b"</stream:stream>")


def fire(connection, address, corpus):
    drainer = threading.Thread(target=guarded, args=(drain, connection), daemon=True)
    drainer.start()
    with open(corpus, "rb") as file:
        size, offset = os.fstat(file.fileno()).st_size, 0
        while offset < size:
            offset += os.sendfile(connection.fileno(), file.fileno(), offset, min(READ_SIZE, size - offset))
    end = f"<message type='chat' from='capulet.example' to='{address}'><body>end</body></message>"
    connection.sendall(end.encode())
    drainer.join()


def guarded(work, connection, *more):
    try:
        work(connection, *more)
    except OSError:
        pass


def perform(session, part, corpus):
    """What the first message asks for, in a thread of its own."""
    connection = session.connection
    connection.setblocking(True)
    if b"<body>go</body>" in part and corpus:
        guarded(fire, connection, session.address, corpus)
    else:
        guarded(discard, connection, part, session.held)
    connection.close()


def serve(listener, corpus, make_session=Session):
    waiting = selectors.DefaultSelector()
    waiting.register(listener, selectors.EVENT_READ)
    while True:
        for key, _ in waiting.select():
            if key.fileobj is listener:
                connection, _ = listener.accept()
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                waiting.register(connection, selectors.EVENT_READ, make_session(connection))
                continue
            session = key.data
            try:
                more = session.connection.recv(65536)
                part = session.received(more) if more else None
            except OSError:
                more = part = None
            if not more or part is not None:
                waiting.unregister(session.connection)
            if not more:
                session.connection.close()
            elif part is not None:
                threading.Thread(target=perform, args=(session, part, corpus), daemon=True).start()


def main(make_session=Session):
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
    corpus = sys.argv[1] if len(sys.argv) > 1 else None
    print(listener.getsockname()[1], flush=True)
    threading.Thread(target=serve, args=(listener, corpus, make_session), daemon=True).start()
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
