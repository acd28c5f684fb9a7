"""Gajim, a GTK 3 program, whose accessible elements have texts and little more."""
import hashlib
import json
import sqlite3
import subprocess

from gi.repository import Gio, GLib

import person
import stage
from people import Person

SETTINGS = {
    "use_keyring": False, "show_trayicon": False, "confirm_on_window_delete": False, "check_for_update": False,
    "plugins_auto_update": False, "is_window_visible": True,
}
# How often Return is pressed again, and the seconds before.
AGAIN, SHORT = 4, 5


def badge(order):
    """Clicks the account, in the lower left corner."""
    return click_at_left(order, 700, 900)


def workspace(order):
    """Clicks the area of the conversations."""
    return click_at_left(order, 90, 140)


def click_at_left(order, top, bottom):
    for node in person.walk(person.program(order), True):
        x, y, _, _ = person.rectangle(node)
        if node.get_role_name() == "list item" and x == 0 and top < y < bottom:
            _, x, y = person.place_of(node, order)
            person.xdotool("mousemove", str(x), str(y), "sleep", person.HAND, "click", "1")
            return {}
    raise person.Missing("there is no account")


def field(order):
    """Clicks into the text field, which has no name but is the lowest one."""
    fields = [node for node in person.walk(person.program(order))
              if node.get_role_name() == "text" and person.rectangle(node)[1] > 600]
    if not fields:
        raise person.Missing("there is no field")
    _, x, y = person.place_of(fields[-1], order)
    person.xdotool("mousemove", str(x), str(y), "sleep", person.HAND, "click", "1")
    return {}


def completed(order):
    """The title above the name of a sent file says that it has arrived."""
    labels = [person.plain(node.get_name()) for node in person.walk(person.program(order)) if node.get_role_name() == "label"]
    if ("File Transfer Completed", order["file"]) not in zip(labels, labels[1:]):
        raise person.Missing("the last labels are %s" % labels[-12:])
    return {}


person.LOOKING.update(badge=badge, field=field, workspace=workspace, completed=completed)


class Gajim(Person):
    program = "Gajim"
    # Debian 12 has Gajim 1.7.3: reactions were added in 1.8.4, replies in 2.0. It executes commands and offers none any more.
    unsupported = {(feature, back): True for feature in ("reaction", "reply") for back in (False, True)} | {("command", False): True}
    # The TypeError is in its jingle_session.py; it happens with every offer, whoever makes it.
    unsupported |= {(feature, False): "an error in its code that reads offers" for feature in ("small file", "large file")}

    def sign_in(self):
        """Its assistant is not tested here; the account is written into its database instead."""
        self.open()
        base = self.stage.folder / self.name / "config/gajim/settings.sqlite"
        stage.until("Gajim makes its file", lambda: base.exists() and self.windows())
        self.process.terminate()
        self.process.wait(stage.TIMEOUT)
        account = {
            "name": self.name, "hostname": stage.DOMAIN, "password": stage.PASSWORD, "savepass": True, "active": True,
            "autoconnect": True, "account_label": self.name, "resource": "gajim", "request_user_data": False}
        with sqlite3.connect(base) as file:
            (app,), = file.execute("SELECT settings FROM settings WHERE name = 'app'")
            file.execute("UPDATE settings SET settings = ? WHERE name = 'app'", (json.dumps({**json.loads(app), **SETTINGS}),))
            file.execute("UPDATE settings SET settings = ? WHERE name = 'plugins'", (
                json.dumps({"omemo": {"active": True}} if self.encrypts_with else {}),))
            choice = {one: {"encryption": "OMEMO"} for one in self.encrypts_with}
            file.execute("INSERT INTO account_settings (account, settings) VALUES (?, ?)", (
                self.name, json.dumps({
                    "account": account, "contact": {one: choice[one] for one in choice if "@conference." not in one},
                    "group_chat": {one: choice[one] for one in choice if "@conference." in one}})))
        file.close()

    def open(self, link=None):
        self.start(["gajim", "-l", "nbxmpp=DEBUG"] + ([link] if link else []), self.name)
        self.place()

    def asked(self, question, *values):
        """The database of Gajim."""
        base = "file:%s/data/gajim/logs.db?mode=ro" % (self.stage.folder / self.name)
        with sqlite3.connect(base, uri=True, timeout=10) as file:
            rows = file.execute(question, values).fetchall()
        file.close()
        return rows

    def told(self, link):
        """A second call only activates the running program."""
        self.stage.run(["gajim", link], self.name + "-second", self.environment)

    def accept_friend(self, address):
        self.order("badge")
        self.sees("label", address)
        self.clicks("push button", "Accept")
        # It offers to return the request.
        self.clicks("push button", "Next")
        self.clicks("push button", "Add Contact")
        stage.until("Gajim has one window", lambda: len(self.windows()) == 1)
        self.order("workspace")

    def writes(self, text):
        self.order("field")
        self.types(text)
        self.presses("Return")
        # Of somebody who is not a contact it does not know the devices: it requests them, says so, and leaves the text in the
        # field; the next Return sends it.
        for _ in range(AGAIN if self.encrypts_with else 0):
            try:
                self.sees("label", text, seconds=SHORT)
                return
            except stage.NotSeen:
                self.order("field")
                self.presses("Return")
        self.sees("label", text)

    def has_text(self, sender, text):
        self.sees("label", text)

    def knows_that_it_came(self, text, state):
        marks = {"delivered": (0, 1), "seen": (1,)}[state]
        stage.until("Gajim learns that “%s” was %s" % (text, state), lambda: [
            mark for mark, in self.asked("SELECT marker FROM logs WHERE message = ?", text) if mark in marks])

    def encrypts(self):
        """It was chosen in its settings."""

    def has_encrypted(self, text):
        """Gajim 1.7 does not store whether a message was encrypted; without decryption it would have another text."""
        stage.until("Gajim decrypts “%s”" % text, lambda: self.asked("SELECT 1 FROM logs WHERE message = ?", text))

    def has_encrypted_file(self, kind, number=1):
        """Gajim loads and decrypts them by itself; their names say nothing about their type."""
        begins = {"image": b"\x89PNG", "audio": b"OggS"}[kind]
        folder = self.stage.folder / self.name / "data/gajim/downloads"
        stage.until("Gajim decrypts %d files of %s" % (number, kind), lambda: len([
            one for one in folder.glob("*") if one.is_file() and one.read_bytes().startswith(begins)]) >= number)

    def has_encrypted_voice(self):
        self.has_encrypted_file("audio")

    def finds(self, address, text):
        """It stores such a message and does not add the conversation to its list."""

    def talks(self, address):
        """Opens a conversation with somebody new."""
        self.told("xmpp:%s?message" % address)
        self.starts(address)

    def looks(self):
        self.order("field")

    def sends_file(self, path):
        subprocess.run(["xclip", "-selection", "clipboard", "-t", "text/uri-list", "-in"], check=True,
                       input=("file://%s\r\n" % path).encode(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def pasted():
            self.order("field")
            self.presses("ctrl+v")
            try:
                return self.sees("label", path.name, seconds=SHORT)
            except stage.NotSeen:
                # It looks whether a device takes files only when a conversation is selected: to another one and back.
                self.presses("ctrl+Page_Down")
                self.pauses()
                self.presses("ctrl+Page_Up")
                return None
        stage.until("Gajim takes “%s”" % path.name, pasted)
        self.clicks("push button", "Send Files")

    def has_file(self, kind, number=1):
        """It automatically downloads and shows files of contacts, and files that it has sent itself."""
        endings = {"image": (".png", ".jpg"), "audio": (".ogg", ".opus", ".m4a")}[kind]
        folder = self.stage.folder / self.name / "data/gajim/downloads"

        def received():
            fetched = [one for one in folder.glob("**/*") if one.suffix in endings and one.stat().st_size > 0]
            own = [address for address, in self.asked(
                "SELECT message FROM logs WHERE kind = 6 AND message LIKE 'https://%'") if address.endswith(endings)]
            return len(fetched) - len(own) >= number
        stage.until("Gajim has %d files of %s" % (number, kind), received, note=lambda: list(folder.glob("**/*")))

    def accepts_file(self, file):
        """It asks where to save it."""
        self.sees("label", has=[file.name])
        before = self.windows()
        self.clicks("push button", "Download")
        stage.until("Gajim asks where to save it", lambda: [one for one in self.windows() if one not in before])
        self.pauses()
        self.presses("Return")

    def has_direct_file(self, name, wanted):
        folder = self.stage.folder

        def received():
            places = [folder / name, *(folder / self.name).rglob(name)]
            return [one for one in places if one.is_file() and hashlib.sha256(one.read_bytes()).hexdigest() == wanted]
        stage.until("Gajim has “%s”" % name, received)

    def offers_file(self, path):
        self.sends_file(path)

        def chosen():
            # It asks to which device, even if there is only one, and forgets the choice when it learns something about it.
            try:
                self.clicks("label", has=["Hongyan ("], seconds=SHORT)
                self.clicks("push button", "Send Files", seconds=SHORT)
                self.misses("label", has=["Hongyan ("], seconds=SHORT)
            except stage.NotSeen:
                return False
            return True
        stage.until("Gajim offers “%s”" % path.name, chosen)
        self.sees("label", has=[path.name])

    def has_sent(self, name):
        self.order("completed", file=name)

    def knows_of_refusal(self, name):
        """It receives the answer and goes on to show the offer as waiting."""

    def corrects(self, old, new):
        self.order("field")
        self.presses("ctrl+Up")
        self.sees("text", text=old)
        self.presses("ctrl+a")
        self.types(new)
        self.presses("Return")
        self.sees("label", new)

    def has_correction(self, sender, old, new):
        self.sees("label", new)
        self.misses("label", old)

    def joins(self, room):
        self.told("xmpp:%s?join" % room)
        self.starts(room)
        self.clicks("push button", "Join")

    def starts(self, address):
        # Its window for new conversations appears first, with the room selected, and does not take the keyboard focus.
        def asking():
            return [one for one in self.windows() if person.xdotool("getwindowname", one) == "Start / Join Chat"]
        window = stage.until("Gajim asks which conversation", asking)[0]
        self.sees("label", address)
        self.pauses()
        person.xdotool("windowactivate", "--sync", window, "key", "Return")

    def executes(self, command, address, answer):
        """The entry in the menu of a contact asks its bare address, for which a server answers; its action takes any address."""
        Gio.bus_get_sync(Gio.BusType.SESSION).call_sync(
            "org.gajim.Gajim", "/org/gajim/Gajim", "org.gtk.Actions", "Activate", GLib.Variant("(sava{sv})", (
                self.name + "-execute-command", [GLib.Variant("s", address)], {})),
            None, Gio.DBusCallFlags.NONE, stage.TIMEOUT * 1000)
        self.clicks("table cell", command)
        self.clicks("push button", "Execute")
        self.clicks("push button", "Complete")
        self.sees("label", answer)
        self.presses("Escape")
        stage.until("Gajim has one window", lambda: len(self.windows()) == 1)

    def comes_back(self, room):
        self.open()
        self.opens(room)

    def opens(self, conversation):
        self.clicks("label", conversation.split("@")[0])
