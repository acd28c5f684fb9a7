#!/usr/bin/env python3
"""The server of loopback_server.py with a contact list, a room and an archive as large as the resource of the client says: with
the resource contacts-1000 the list has a thousand contacts.

usage: growth_server.py -- prints its port, and ends when its standard input is closed.
"""
import re

import loopback_server
from loopback_server import DISCO_INFO, attribute

ROOM = "people@rooms.capulet.example"
ROOM_INFO = (
    f"<query xmlns='{DISCO_INFO}'><identity category='conference' type='text'/>"
    "<feature var='http://jabber.org/protocol/muc'/></query>"
)
ACCOUNT_INFO = (
    f"<query xmlns='{DISCO_INFO}'><identity category='account' type='registered'/><feature var='urn:xmpp:mam:2'/></query>"
)
RSM = "http://jabber.org/protocol/rsm"


class Session(loopback_server.Session):
    @property
    def amount(self):
        found = re.search(r"-(\d+)$", self.address)
        return int(found.group(1)) if found else 0

    @property
    def held(self):
        return self.amount if "unacknowledged" in self.address else 0

    def answer(self, name, element):
        if name == b"presence" and ROOM.encode() in element:
            self.enter()
        else:
            super().answer(name, element)

    def result(self, element, payload):
        receiver = attribute(element, "to")
        sender = f" from='{receiver}'" if receiver else ""
        self.send(f"<iq type='result' id='{attribute(element, 'id')}'{sender} to='{self.address}'>{payload}</iq>")

    def request(self, element):
        if b"'jabber:iq:roster'" in element:
            items = (
                f"<item jid='person{number}@montague.example' name='Person {number}' subscription='both'/>"
                for number in range(self.amount)
            )
            self.result(element, f"<query xmlns='jabber:iq:roster'>{''.join(items)}</query>")
        elif b"'urn:xmpp:mam:2'" in element and b"<query" in element and attribute(element, "type") == "set":
            self.page(element)
        elif DISCO_INFO.encode() in element and attribute(element, "to") == ROOM:
            self.result(element, ROOM_INFO)
        elif DISCO_INFO.encode() in element and "@" in attribute(element, "to"):
            self.result(element, ACCOUNT_INFO)
        else:
            super().request(element)

    def enter(self):
        user = "<x xmlns='http://jabber.org/protocol/muc#user'><item affiliation='member' role='participant'/>"
        people = (
            f"<presence from='{ROOM}/person{number}' to='{self.address}'>{user}</x></presence>"
            for number in range(self.amount)
        )
        self.send(
            f"{''.join(people)}<presence from='{ROOM}/me' to='{self.address}'>{user}<status code='110'/></x></presence>"
            f"<message type='groupchat' from='{ROOM}' to='{self.address}'><subject/></message>"
        )

    def page(self, element):
        """The messages after the one that is named, in the order of their numbers."""
        query = re.search(rb"queryid=['\"]([^'\"]*)", element)
        after = re.search(rb"<after>(\d+)</after>", element)
        most = re.search(rb"<max>(\d+)</max>", element)
        first = int(after.group(1)) + 1 if after else 0
        end = min(first + int(most.group(1) if most else 100), self.amount)
        name = query.group(1).decode() if query else ""
        messages = (
            f"<message to='{self.address}'><result xmlns='urn:xmpp:mam:2' queryid='{name}' id='{number}'>"
            "<forwarded xmlns='urn:xmpp:forward:0'><delay xmlns='urn:xmpp:delay' stamp='2026-01-01T00:00:00Z'/>"
            f"<message xmlns='jabber:client' from='romeo@montague.example/orchard' to='{self.address}' type='chat' "
            f"id='m{number}'><body>message number {number}</body></message></forwarded></result></message>"
            for number in range(first, end)
        )
        place = f"<first index='{first}'>{first}</first><last>{end - 1}</last>" if end > first else ""
        complete = " complete='true'" if end == self.amount else ""
        self.send("".join(messages))
        self.result(
            element,
            f"<fin xmlns='urn:xmpp:mam:2'{complete}><set xmlns='{RSM}'>{place}<count>{self.amount}</count></set></fin>",
        )


loopback_server.main(Session)
