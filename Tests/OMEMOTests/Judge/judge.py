"""One device of another OMEMO implementation, for the tests: twomemo or oldmemo in a process of its own.

Usage: judge.py legacy|current ADDRESS DEVICE

Reads one request in JSON a line and writes one answer a line. Bytes are in Base64, elements are XML.
"""

import asyncio
import base64
import json
import sys
import xml.etree.ElementTree as ET

import oldmemo
import oldmemo.etree
import twomemo
import twomemo.etree
from memory import Memory
from omemo.message import Message


class Device:
    def __init__(self, generation, address, device):
        self.is_legacy = generation == "legacy"
        module = oldmemo.oldmemo if self.is_legacy else twomemo.twomemo
        self.module = module
        self.etree = oldmemo.etree if self.is_legacy else twomemo.etree
        self.namespace = oldmemo.oldmemo.NAMESPACE if self.is_legacy else twomemo.twomemo.NAMESPACE
        self.storage = Memory()
        self.backend = oldmemo.Oldmemo(self.storage) if self.is_legacy else twomemo.Twomemo(self.storage)
        self.address = address
        self.device = int(device)
        self.sessions = {}

    async def bundle(self, _):
        if await self.backend.get_num_visible_pre_keys() < 25:
            await self.backend.generate_pre_keys(25)
        bundle = await self.backend.get_bundle(self.address, self.device)
        element = self.etree.serialize_bundle(bundle)
        devices = self.etree.serialize_device_list({self.device: None, 7: None})
        return {"bundle": ET.tostring(element).decode(), "devices": ET.tostring(devices).decode()}

    async def encrypt(self, request):
        """Encrypts for a device; with a bundle a new session is made."""
        peer = (request["address"], request["device"])
        if request.get("empty"):
            content, plain = await self.backend.encrypt_empty()
        else:
            content, plain = await self.backend.encrypt_plaintext(base64.b64decode(request["plaintext"]))
        if "bundle" in request:
            bundle = self.etree.parse_bundle(ET.fromstring(request["bundle"]), *peer)
            session, key = await self.backend.build_session_active(*peer, bundle, plain)
            self.sessions[peer] = session
        else:
            session = self.sessions[peer]
            key = await self.backend.encrypt_key_material(session, plain)
        is_exchange = session.initiation.name == "ACTIVE" and not session.confirmed
        exchange = session.key_exchange if is_exchange else None
        message = Message(self.namespace, self.address, self.device, content, frozenset({(key, exchange)}))
        element = self.etree.serialize_message(message)
        return {"element": ET.tostring(element).decode()}

    async def decrypt(self, request):
        peer = (request["address"], request["device"])
        ns = "{" + self.namespace + "}"
        element = ET.fromstring(request["element"])
        header = element.find(ns + "header")
        assert int(header.get("sid")) == request["device"]
        attribute = "prekey" if self.is_legacy else "kex"
        key = next(k for k in header.iter(ns + "key") if int(k.get("rid")) == self.device)
        data = base64.b64decode(key.text)
        exchange = None
        if key.get(attribute) == "true":
            if self.is_legacy:
                exchange, data = self.module.KeyExchangeImpl.parse(data, False)
            else:
                exchange, data = self.module.KeyExchangeImpl.parse(data)
        encrypted = self.module.EncryptedKeyMaterialImpl.parse(data, *peer)
        session = self.sessions.get(peer)
        if exchange is not None and (session is None or not session.key_exchange.builds_same_session(exchange)):
            session, plain = await self.backend.build_session_passive(*peer, exchange, encrypted)
            self.sessions[peer] = session
            await self.backend.delete_pre_key(session)
        else:
            plain = await self.backend.decrypt_key_material(session, encrypted)
            if session.initiation.name == "ACTIVE":
                session.confirm()
        payload = element.find(ns + "payload")
        if payload is None:
            return {"plaintext": None}
        data = base64.b64decode(payload.text)
        if self.is_legacy:
            content = self.module.ContentImpl(data, base64.b64decode(header.find(ns + "iv").text))
        else:
            content = self.module.ContentImpl(data)
        plaintext = await self.backend.decrypt_plaintext(content, plain)
        return {"plaintext": base64.b64encode(plaintext).decode()}


async def main():
    device = Device(*sys.argv[1:])
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = await getattr(device, request["do"])(request)
        except Exception as error:  # Every refusal is an answer.
            answer = {"refused": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


asyncio.run(main())
