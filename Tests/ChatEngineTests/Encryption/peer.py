"""A device with slixmpp-omemo, which a test operates.

Usage: peer.py ADDRESS PASSWORD HOST PORT AUTHORITY NAMESPACE[,NAMESPACE]

The namespaces are the generations of OMEMO in which the device announces itself. It reads one JSON object a line:

    {"do": "send", "to": [ADDRESS, …], "text": TEXT}                    to a person, or with "room": ADDRESS to a room
    {"do": "send", "to": [ADDRESS, …], "file": PATH, "type": TYPE}
    {"do": "join", "room": ADDRESS, "nick": NICK}
    {"do": "disconnect"} and {"do": "connect"}

and writes one a line: {"ready": true}, {"done": WHAT} after each command, with an "error" if it failed, and for each message that it decrypted
{"read": TEXT or TYPE, "hash": SHA-256 of the text or file, "by": ADDRESS, "namespace": NAMESPACE}, else {"error": …}.
"""

import asyncio
import base64
import hashlib
import io
import json
import mimetypes
import os
import pathlib
import ssl
import sys
import urllib.request
import xml.etree.ElementTree as ET
from xml.sax.saxutils import escape, quoteattr

address, password, host, port, authority, generations = sys.argv[1:]
# For uploads.
os.environ["SSL_CERT_FILE"] = authority

import oldmemo.etree  # noqa: E402
import omemo  # noqa: E402
import twomemo.etree  # noqa: E402
from slixmpp import JID, ClientXMPP  # noqa: E402
from slixmpp.exceptions import IqError  # noqa: E402
from slixmpp.plugins import register_plugin  # noqa: E402
from slixmpp.plugins.xep_0454 import XEP_0454  # noqa: E402
from slixmpp.xmlstream.handler import CoroutineCallback  # noqa: E402
from slixmpp.xmlstream.matcher import MatchXPath  # noqa: E402
from slixmpp_omemo import XEP_0384  # noqa: E402

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "OMEMOTests/Judge"))
from memory import Memory  # noqa: E402  pylint: disable=wrong-import-position

CURRENT = "urn:xmpp:omemo:2"
LEGACY = "eu.siacs.conversations.axolotl"
CIPHER = "urn:xmpp:ciphers:aes-256-gcm-nopadding:0"
ETREES = {CURRENT: twomemo.etree, LEGACY: oldmemo.etree}
# In this order an encryption prefers them.
wanted = [name for name in [CURRENT, LEGACY] if name in generations.split(",")]
mimetypes.add_type("image/bmp", ".bmp")
mimetypes.add_type("audio/wav", ".wav")


def tell(**fact):
    print(json.dumps(fact), flush=True)


create = omemo.SessionManager.create.__func__


async def create_with_wanted(cls, _, storage, *arguments, **options):
    """The plugin itself has only the legacy generation switched on."""
    backends = {CURRENT: twomemo.Twomemo, LEGACY: oldmemo.Oldmemo}
    return await create(cls, [backends[name](storage) for name in wanted], storage, *arguments, **options)


omemo.SessionManager.create = classmethod(create_with_wanted)


class Plugin(XEP_0384):
    memory = Memory()

    @property
    def storage(self):
        return self.memory

    @property
    def _btbv_enabled(self):
        return True

    async def _devices_blindly_trusted(self, blindly_trusted, identifier):
        pass

    async def _prompt_manual_trust(self, manually_trusted, identifier):
        raise NotImplementedError


register_plugin(Plugin)


def download(link):
    """The content of an aesgcm: link."""
    url, _, fragment = link.partition("#")
    context = ssl.create_default_context(cafile=authority)
    with urllib.request.urlopen(url.replace("aesgcm://", "https://"), context=context) as answer:
        return XEP_0454.decrypt(io.BytesIO(answer.read()), fragment)


class Device(ClientXMPP):
    def __init__(self):
        super().__init__(address, password)
        self.ca_certs = authority
        # One task at a time uses the sessions, and messages are decrypted in their order.
        self.lock = asyncio.Lock()
        plugins = ["0030", "0045", "0060", "0163", "0199", "0280", "0334", "0363", "0380", "0454"]
        for plugin in plugins:
            self.register_plugin("xep_" + plugin)
        self.register_plugin("xep_0384", module=sys.modules[__name__])
        self.add_event_handler("session_start", self.begin)
        # The event "message" is only for those with a body.
        self.register_handler(CoroutineCallback("every message", MatchXPath("{jabber:client}message"), self.received))
        self.add_event_handler("carbon_sent", self.copied)
        self.add_event_handler("carbon_received", self.copied)
        self.gone = asyncio.Event()
        self.add_event_handler("disconnected", lambda _: self.gone.set())

    async def begin(self, _):
        await self.get_roster()
        await self["xep_0280"].enable()
        self.send_presence()
        await self["xep_0384"].get_session_manager()
        tell(ready=True)

    # Receiving

    def sender(self, stanza):
        if stanza["type"] != "groupchat":
            return stanza["from"].bare
        room, nick = stanza["from"].bare, stanza["from"].resource
        return JID(self["xep_0045"].get_jid_property(JID(room), nick, "jid")).bare

    async def received(self, stanza):
        async with self.lock:
            manager = await self["xep_0384"].get_session_manager()
            for namespace in wanted:
                element = stanza.xml.find(f"{{{namespace}}}encrypted")
                if element is None:
                    continue
                try:
                    await self.decrypted(manager, namespace, element, self.sender(stanza))
                except Exception as error:
                    tell(error=repr(error), namespace=namespace)
                return

    async def copied(self, wrapper):
        is_sent = wrapper.xml.find("{urn:xmpp:carbons:2}sent") is not None
        await self.received(wrapper["carbon_sent" if is_sent else "carbon_received"])

    async def decrypted(self, manager, namespace, element, sender):
        if namespace == CURRENT:
            message = twomemo.etree.parse_message(element, sender)
        else:
            message = await oldmemo.etree.parse_message(element, sender, address, manager)
        plaintext, _, _ = await manager.decrypt(message)
        if plaintext is None:
            tell(empty=True, namespace=namespace)
            return
        text = plaintext.decode()
        link = text if text.startswith("aesgcm://") else None
        if namespace == CURRENT:
            content = ET.fromstring(text).find("{urn:xmpp:sce:1}content")
            body = content.find("{jabber:client}body")
            text = "" if body is None else body.text
            link = self.link(content.find("{urn:xmpp:sfs:0}file-sharing"))
        if link is None:
            kind, content = text, text.encode()
        else:
            kind = mimetypes.guess_type(link.partition("#")[0])[0]
            content = await asyncio.get_running_loop().run_in_executor(None, download, link)
        tell(read=kind, hash=hashlib.sha256(content).hexdigest(), by=sender, namespace=namespace)

    @staticmethod
    def link(sharing):
        """What XEP-0448 says of a file, as the link of XEP-0454."""
        if sharing is None:
            return None
        encrypted = sharing.find(".//{urn:xmpp:esfs:0}encrypted")
        assert encrypted.get("cipher") == CIPHER
        vector, key = (
            base64.b64decode(encrypted.find("{urn:xmpp:esfs:0}" + name).text).hex() for name in ("iv", "key"))
        url = encrypted.find(".//{http://jabber.org/protocol/url-data}url-data").get("target")
        return XEP_0454.format_url(url, vector + key)

    # Sending

    async def contents(self, command):
        """The text for the legacy generation, and the elements for the current one."""
        if "text" in command:
            text = command["text"]
            return text, f"<body xmlns='jabber:client'>{escape(text)}</body>"
        path = pathlib.Path(command["file"])
        content = path.read_bytes()
        sealed, fragment = XEP_0454.encrypt(io.BytesIO(content))
        await self.find_upload_service()
        url = await self["xep_0363"].upload_file(
            path.name, size=len(sealed), content_type="application/octet-stream", input_file=io.BytesIO(sealed))
        vector, key = (base64.b64encode(bytes.fromhex(part)).decode() for part in (fragment[:24], fragment[24:]))
        digest = base64.b64encode(hashlib.sha256(content).digest()).decode()
        return XEP_0454.format_url(url, fragment), (
            "<file-sharing xmlns='urn:xmpp:sfs:0' disposition='inline'>"
            f"<file xmlns='urn:xmpp:file:metadata:0'><media-type>{command['type']}</media-type>"
            f"<name>{escape(path.name)}</name><size>{len(content)}</size>"
            f"<hash xmlns='urn:xmpp:hashes:2' algo='sha-256'>{digest}</hash></file>"
            f"<sources><encrypted xmlns='urn:xmpp:esfs:0' cipher='{CIPHER}'><key>{key}</key><iv>{vector}</iv>"
            "<sources xmlns='urn:xmpp:sfs:0'>"
            f"<url-data xmlns='http://jabber.org/protocol/url-data' target={quoteattr(url)}/>"
            "</sources></encrypted></sources></file-sharing>")

    async def find_upload_service(self):
        """slixmpp 1.8 cannot do this with Python 3.11."""
        services = await self["xep_0030"].get_items(jid=JID(address).domain)
        for service, _, _ in services["disco_items"]["items"]:
            try:
                information = await self["xep_0030"].get_info(jid=service)
            except IqError:
                continue
            if "urn:xmpp:http:upload:0" in information["disco_info"]["features"]:
                self["xep_0363"].upload_service = service

    async def send_message_of(self, command):
        text, elements = await self.contents(command)
        room = command.get("room")
        affixes = f"<from jid={quoteattr(address)}/>" + (f"<to jid={quoteattr(room)}/>" if room else "")
        envelope = (
            f"<envelope xmlns='urn:xmpp:sce:1'><content>{elements}</content><rpad>abcdefgh</rpad>{affixes}</envelope>")
        plaintexts = {name: {CURRENT: envelope, LEGACY: text}[name].encode() for name in wanted}
        async with self.lock:
            manager = await self["xep_0384"].get_session_manager()
            receivers = frozenset(command["to"])
            for namespace in wanted:
                for receiver in receivers | {address}:
                    await manager.refresh_device_list(namespace, receiver)
            messages, errors = await manager.encrypt(receivers, plaintexts, backend_priority_order=wanted)
            stanza = self.make_message(mto=room or command["to"][0], mtype="groupchat" if room else "chat")
            stanza["body"] = "encrypted"
            for message in messages:
                stanza.append(ETREES[message.namespace].serialize_message(message))
            stanza.send()
        for error in errors:
            tell(error=repr(error))

    async def join(self, command):
        await self["xep_0045"].join_muc_wait(JID(command["room"]), command["nick"], maxstanzas=0, timeout=60)

    async def perform(self, command):
        what = command["do"]
        if what == "send":
            await self.send_message_of(command)
        elif what == "join":
            await self.join(command)
        elif what == "disconnect":
            # The answer shows that the server has what was sent before; slixmpp drops what waits.
            await self["xep_0030"].get_info(jid=JID(address).domain)
            self.gone.clear()
            self.disconnect()
            await self.gone.wait()
        elif what == "connect":
            self.connect((host, int(port)))
        tell(done=what)


async def main():
    device = Device()
    device.connect((host, int(port)))
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    # Until the test is over.
    while line := await lines.readline():
        try:
            await device.perform(json.loads(line))
        except Exception as error:
            tell(done="nothing", error=repr(error))
    os._exit(0)


asyncio.get_event_loop().run_until_complete(main())
