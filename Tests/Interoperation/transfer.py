"""A device that sends or receives one file with slixmpp: its bytestreams are an independent implementation of XEP-0047 and of SOCKS 5.

transfer.py receive ADDRESS PASSWORD HOST PORT AUTHORITY FILE
transfer.py send    ADDRESS PASSWORD HOST PORT AUTHORITY FILE RECEIVER
"""
import asyncio
import base64
import hashlib
import sys
from xml.etree import ElementTree

import slixmpp
from slixmpp.plugins.xep_0065.socks5 import Socks5Protocol
from slixmpp.xmlstream.handler import CoroutineCallback
from slixmpp.xmlstream.matcher import MatchXPath

JINGLE = "urn:xmpp:jingle:1"
FILE = "urn:xmpp:jingle:apps:file-transfer:5"
IN_BAND = "urn:xmpp:jingle:transports:ibb:1"
SOCKS = "urn:xmpp:jingle:transports:s5b:1"
HASHES = "urn:xmpp:hashes:2"


class Device(slixmpp.ClientXMPP):
    def __init__(self, address, password, authority):
        super().__init__(address + "/python", password)
        self.ca_certs = authority
        for plugin in ("xep_0030", "xep_0047"):
            self.register_plugin(plugin)
        self["xep_0047"].auto_accept = True
        self["xep_0047"].max_block_size = 16384
        for feature in (JINGLE, FILE, IN_BAND, SOCKS):
            self["xep_0030"].add_feature(feature)
        self.steps = asyncio.Queue()
        self.register_handler(CoroutineCallback(
            "jingle", MatchXPath("{jabber:client}iq/{%s}jingle" % JINGLE), self.step))
        self.online = self.loop.create_future()
        self.add_event_handler("session_start", self.started)

    async def started(self, _):
        self.send_presence()
        if not self.online.done():
            self.online.set_result(None)

    async def step(self, iq):
        iq.reply().send()
        self.steps.put_nowait((iq["from"], iq.xml.find("{%s}jingle" % JINGLE)))

    async def next(self, action):
        while True:
            sender, element = await asyncio.wait_for(self.steps.get(), 60)
            if element.get("action") == action:
                return sender, element
            if element.get("action") == "session-terminate":
                raise SystemExit("terminated: " + ElementTree.tostring(element).decode())

    async def tell(self, receiver, text):
        iq = self.make_iq_set(ito=receiver)
        iq.append(ElementTree.fromstring(text))
        await iq.send(timeout=30)

    async def receive(self, path):
        sender, offer = await self.next("session-initiate")
        sid = offer.get("sid")
        content = offer.find("{%s}content" % JINGLE)
        description = ElementTree.tostring(content.find("{%s}description" % FILE)).decode()
        size = int(content.find(".//{%s}size" % FILE).text)
        transport = content.find("{%s}transport" % SOCKS)
        in_band = content.find("{%s}transport" % IN_BAND)
        answer = "<jingle xmlns='%s' action='%%s' sid='%s'><content creator='initiator' name='%s' senders='initiator'>%%s</content></jingle>" % (
            JINGLE, sid, content.get("name"))
        opened = self.loop.create_future()
        self.add_event_handler("ibb_stream_start", opened.set_result)
        if transport is None:
            own = "<transport xmlns='%s' sid='%s' block-size='2048'/>" % (IN_BAND, in_band.get("sid"))
            await self.tell(sender, answer % ("session-accept", description + own))
            data = await self.in_band(await asyncio.wait_for(opened, 60), size)
        else:
            stream = transport.get("sid")
            own = "<transport xmlns='%s' sid='%s'>%%s</transport>" % (SOCKS, stream)
            await self.tell(sender, answer % ("session-accept", description + own % ""))
            candidate = next(c for c in transport if c.get("type") == "direct" and c.get("host") == "127.0.0.1")
            data = await self.socks(candidate, transport, stream, sender, size, answer, own)
        with open(path, "wb") as file:
            file.write(data)
        await self.tell(sender, "<jingle xmlns='%s' action='session-info' sid='%s'><received xmlns='%s' creator='initiator' name='%s'/></jingle>" % (
            JINGLE, sid, FILE, content.get("name")))
        await self.tell(sender, "<jingle xmlns='%s' action='session-terminate' sid='%s'><reason><success/></reason></jingle>" % (JINGLE, sid))

    async def in_band(self, stream, size):
        data = b""
        while len(data) < size:
            data += await asyncio.wait_for(stream.recv_queue.get(), 60)
        return data

    async def socks(self, candidate, transport, stream, sender, size, answer, own):
        data = bytearray()
        complete = self.loop.create_future()

        def event(name, content):
            if name == "socks5_data":
                data.extend(content)
                if len(data) >= size and not complete.done():
                    complete.set_result(None)

        destination = hashlib.sha1((stream + str(sender) + str(self.boundjid.full)).encode()).hexdigest()
        assert transport.get("dstaddr") == destination
        _, connection = await self.loop.create_connection(
            lambda: Socks5Protocol(destination, 0, event), candidate.get("host"), int(candidate.get("port")))
        await asyncio.wait_for(connection.connected, 30)
        await self.tell(sender, answer % ("transport-info", own % ("<candidate-used cid='%s'/>" % candidate.get("cid"))))
        await asyncio.wait_for(complete, 60)
        return bytes(data)

    async def send_file(self, path, receiver):
        with open(path, "rb") as file:
            data = file.read()
        digest = base64.b64encode(hashlib.sha256(data).digest()).decode()
        description = (
            "<description xmlns='%s'><file><name>snake.bin</name><media-type>application/octet-stream</media-type><size>%d</size>"
            "<hash xmlns='%s' algo='sha-256'>%s</hash></file></description>" % (FILE, len(data), HASHES, digest))
        await self.tell(receiver, (
            "<jingle xmlns='%s' action='session-initiate' initiator='%s' sid='py1'><content creator='initiator' name='one' "
            "senders='initiator'>%s<transport xmlns='%s' sid='pyibb' block-size='4096'/></content></jingle>" % (
                JINGLE, self.boundjid.full, description, IN_BAND)))
        _, accept = await self.next("session-accept")
        size = int(accept.find(".//{%s}transport" % IN_BAND).get("block-size", "4096"))
        stream = await self["xep_0047"].open_stream(slixmpp.JID(receiver), block_size=size, sid="pyibb")
        await stream.sendall(data)
        _, end = await self.next_end()
        if end.find("{%s}reason/{%s}success" % (JINGLE, JINGLE)) is None:
            raise SystemExit("refused: " + ElementTree.tostring(end).decode())

    async def next_end(self):
        while True:
            sender, element = await asyncio.wait_for(self.steps.get(), 60)
            if element.get("action") == "session-terminate":
                return sender, element


def main():
    role, address, password, host, port, authority, path = sys.argv[1:8]
    device = Device(address, password, authority)
    device.connect((host, int(port)), disable_starttls=False)

    async def work():
        await asyncio.wait_for(device.online, 60)
        if role == "receive":
            await device.receive(path)
        else:
            await device.send_file(path, sys.argv[8])

    device.loop.run_until_complete(asyncio.wait_for(work(), 150))
    device.loop.run_until_complete(asyncio.sleep(0.2))
    print("done")


main()
