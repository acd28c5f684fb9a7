#!/usr/bin/python3
"""slixmpp receives the corpus of loopback_server.py, or sends to it: composed as its messages, two hundred in each turn of its
event loop.

usage: slixmpp_client.py receive PORT STANZAS
       slixmpp_client.py send PORT MESSAGES
"""
import asyncio
import logging
import sys

import messages
from slixmpp import ClientXMPP

work = messages.Work("slixmpp")


class Client(ClientXMPP):
    def __init__(self):
        mechanisms = {"feature_mechanisms": {"unencrypted_plain": True, "unencrypted_scram": True}}
        super().__init__(messages.ACCOUNT, "secret", plugin_config=mechanisms)
        if work.is_sending:
            for plugin in ("xep_0085", "xep_0184", "xep_0359"):
                self.register_plugin(plugin)
            # The request is added below, as in the other programs.
            self["xep_0184"].auto_request = False
        self.add_event_handler("session_start", self.started)
        for event in ("message", "groupchat_message"):
            self.add_event_handler(event, self.received)
        self.add_event_handler("disconnected", lambda _: sys.exit(1))

    def received(self, message):
        if message["body"]:
            work.received(message["body"])

    async def started(self, _):
        work.start = messages.processor_time()
        for number in range(work.amount if work.is_sending else 0):
            name, body = work.message(number)
            message = self.make_message(mto=messages.RECEIVER, mbody=body, mtype="chat")
            message["id"] = name
            message["request_receipt"] = True
            message["origin_id"]["id"] = name
            message["chat_state"] = "active"
            message.send()
            if number % 200 == 199:
                await asyncio.sleep(0)
        self.send_message(mto=messages.SERVER, mbody=work.question, mtype="chat")


logging.disable(logging.CRITICAL)
client = Client()
client.connect(address=("127.0.0.1", work.port), disable_starttls=True, force_starttls=False)
client.process()
