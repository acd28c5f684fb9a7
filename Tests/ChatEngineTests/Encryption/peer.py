"""A person with slixmpp-omemo, for the tests: answers each encrypted message with the same text in capitals.

Usage: peer.py ADDRESS PASSWORD HOST PORT AUTHORITY both|legacy|current

Writes one line of JSON for each message; the generations are those in which the device announces itself.
"""

import asyncio
import json
import os
import pathlib
import sys
import xml.etree.ElementTree as ET

import oldmemo.etree
import omemo
import twomemo.etree
from slixmpp import ClientXMPP
from slixmpp.plugins import register_plugin
from slixmpp_omemo import XEP_0384

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "OMEMOTests/Judge"))
from memory import Memory  # noqa: E402  pylint: disable=wrong-import-position

CURRENT = "urn:xmpp:omemo:2"
LEGACY = "eu.siacs.conversations.axolotl"
ETREES = {CURRENT: twomemo.etree, LEGACY: oldmemo.etree}
address, password, host, port, authority, generations = sys.argv[1:]
wanted = {"both": {CURRENT, LEGACY}, "legacy": {LEGACY}, "current": {CURRENT}}[generations]


def tell(**fact):
    print(json.dumps(fact), flush=True)


create = omemo.SessionManager.create.__func__


async def create_with_some(cls, backends, *arguments, **options):
    return await create(cls, [b for b in backends if b.namespace in wanted], *arguments, **options)


omemo.SessionManager.create = classmethod(create_with_some)


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


class Person(ClientXMPP):
    def __init__(self):
        super().__init__(address, password)
        self.ca_certs = authority
        for plugin in ["xep_0030", "xep_0060", "xep_0163", "xep_0199", "xep_0280", "xep_0334", "xep_0380"]:
            self.register_plugin(plugin)
        self.register_plugin("xep_0384", module=sys.modules[__name__])
        self.add_event_handler("session_start", self.begin)
        self.add_event_handler("omemo_initialized", lambda _: tell(ready=True))
        self.add_event_handler("message", self.received)

    async def begin(self, _):
        self.send_presence()
        await self.get_roster()

    async def received(self, stanza):
        sender = stanza["from"].bare
        manager = await self.plugin["xep_0384"].get_session_manager()
        for namespace in [CURRENT, LEGACY]:
            element = stanza.xml.find(f"{{{namespace}}}encrypted")
            if element is None or namespace not in wanted:
                continue
            try:
                if namespace == CURRENT:
                    message = twomemo.etree.parse_message(element, sender)
                else:
                    message = await oldmemo.etree.parse_message(element, sender, address, manager)
                plaintext, _, _ = await manager.decrypt(message)
            except Exception as error:
                tell(error=repr(error), namespace=namespace)
                return
            if plaintext is None:
                tell(empty=True, namespace=namespace)
                return
            text = plaintext.decode()
            if namespace == CURRENT:
                text = ET.fromstring(text).find(".//{jabber:client}body").text
            tell(text=text, namespace=namespace)
            await self.answer(manager, sender, text.upper())
            return

    async def answer(self, manager, receiver, text):
        envelope = (
            "<envelope xmlns='urn:xmpp:sce:1'><content><body xmlns='jabber:client'>%s</body></content>"
            "<rpad>abcdefgh</rpad><from jid='%s'/></envelope>" % (text, address)
        )
        plaintexts = {CURRENT: envelope.encode(), LEGACY: text.encode()}
        plaintexts = {name: text for name, text in plaintexts.items() if name in wanted}
        order = [name for name in [CURRENT, LEGACY] if name in wanted]
        for namespace in order:
            await manager.refresh_device_list(namespace, receiver)
        messages, errors = await manager.encrypt(frozenset({receiver}), plaintexts, backend_priority_order=order)
        stanza = self.make_message(mto=receiver, mtype="chat")
        stanza["body"] = "encrypted"
        for message in messages:
            stanza.append(ETREES[message.namespace].serialize_message(message))
        stanza.send()
        tell(answered=text, errors=[repr(error) for error in errors])


async def main():
    person = Person()
    await person.connect(host, int(port))
    # Until the test is over.
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    os._exit(0)


asyncio.run(main())
