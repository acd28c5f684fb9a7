"""Dino, whose elements have no accessible names except those of their widgets."""
import hashlib
import sqlite3
import time

import person
import stage
from people import Person

EMOJI_OF_SEARCH = (56, 128)


def message(order):
    """The last message with a text; the list of conversations at the left may contain the text as well."""
    found = [node for node in person.walk(person.program(order)) if node.get_role_name() == "label"
             and order["text"] in person.plain(node.get_name()) and person.rectangle(node)[0] > 340]
    if not found:
        raise person.Missing("there is no message “%s”" % order["text"])
    return found[-1]


def point(order):
    """Moves the mouse over a message, which makes Dino show its buttons."""
    _, x, y = person.place_of(message(order), dict(order, at=[0.3, 0.5]))
    person.xdotool("mousemove", str(x - 4), str(y), "sleep", person.HAND, "mousemove", str(x), str(y))
    return {}


def tool(order):
    """Clicks a button of the message under the mouse; the buttons are at its right."""
    line = person.rectangle(message(order))[1]
    for node in person.walk(person.program(order), True):
        x, y, _, _ = person.rectangle(node)
        name = person.plain(node.get_name())
        if node.get_role_name() == "push button" and name == order["name"] and x > 880 and line - 70 < y < line + 30:
            _, x, y = person.place_of(node, order)
            person.xdotool("mousemove", str(x), str(y), "sleep", person.HAND, "click", "1")
            return {}
    raise person.Missing("no tools are shown")


def lock(order):
    """Clicks the lock, at the right of the text field."""
    buttons = [node for node in person.walk(person.program(order)) if node.get_role_name() == "push button"
               and person.rectangle(node)[0] > 930 and person.rectangle(node)[1] > 780]
    if not buttons:
        raise person.Missing("there is no lock")
    _, x, y = person.place_of(buttons[0], order)
    person.xdotool("mousemove", str(x), str(y), "sleep", person.HAND, "click", "1")
    return {}


person.LOOKING.update(point=point, tool=tool, lock=lock)


class Dino(Person):
    program = "Dino"
    # Dino 0.4 has no commands.
    unsupported = {("command", back): True for back in (False, True)}

    def sign_in(self):
        """Its dialog queries a server before there is one in its list, so the account is written into its database instead."""
        self.open()
        base = self.stage.folder / self.name / "data/dino/dino.db"
        stage.until("Dino makes its file", base.exists)
        self.sees("push button", "Set up account")
        self.process.terminate()
        self.process.wait()
        with sqlite3.connect(base) as file:
            file.execute(
                "INSERT INTO account (bare_jid, resourcepart, password, alias, enabled, mam_earliest_synced)"
                " VALUES (?, 'dino', ?, '', 1, 0)", (self.address, stage.PASSWORD))
        file.close()

    def open(self, link=None):
        self.start(["dino-im", "--print-xmpp=all"] + ([link] if link else []), self.name)
        self.place()

    def accept_friend(self, address):
        self.opens(address)
        self.clicks("push button", "Accept")

    def asked(self, question, *values):
        """The database of Dino."""
        base = "file:%s/data/dino/dino.db?mode=ro" % (self.stage.folder / self.name)
        with sqlite3.connect(base, uri=True, timeout=10) as file:
            rows = file.execute(question, values).fetchall()
        file.close()
        return rows

    def writes(self, text):
        self.clicks("text", "GtkTextView")
        self.types(text)
        self.presses("Return")
        self.sees("label", text)

    def has_text(self, sender, text):
        self.sees("label", text)

    def knows_that_it_came(self, text, state):
        marks = {"delivered": (1, 2), "seen": (2,)}[state]
        stage.until("Dino learns that “%s” was %s" % (text, state), lambda: [
            mark for mark, in self.asked("SELECT marked FROM message WHERE body = ?", text) if mark in marks])

    def looks(self):
        self.clicks("text", "GtkTextView")

    def encrypts(self):
        """Chooses OMEMO in the menu of the lock, unless it is chosen already."""
        question = "SELECT 1 FROM conversation WHERE encryption = 2 AND active = 1"
        before = len(self.asked(question))
        self.order("lock")
        self.clicks("menu item", "OMEMO")
        stage.until("Dino encrypts", lambda: len(self.asked(question)) >= max(1, before))

    def has_encrypted(self, text):
        stage.until("Dino decrypts “%s”" % text, lambda: (2,) in self.asked(
            "SELECT encryption FROM message WHERE body = ?", text))

    def has_encrypted_file(self, kind, number=1):
        stage.until("Dino decrypts %d files of %s" % (number, kind), lambda: len(self.asked(
            "SELECT 1 FROM file_transfer WHERE direction = 0 AND state = 0 AND encryption = 2 AND mime_type LIKE ?",
            kind + "/%")) >= number, note=lambda: self.asked(
                "SELECT direction, state, encryption, mime_type, file_name, size FROM file_transfer"))

    def has_encrypted_voice(self):
        """A file without a type, which Dino does not load by itself."""
        stage.until("Dino has an encrypted file", lambda: self.asked(
            "SELECT 1 FROM file_transfer WHERE direction = 0 AND encryption = 2 AND mime_type = 'application/octet-stream'"))

    def finds(self, address, text):
        """Opens a conversation that arrived while it was not running."""
        self.opens(address)
        self.has_text(address, text)

    def talks(self, address):
        """Opens a conversation with somebody new."""
        self.stage.run(["dino-im", "xmpp:%s?message" % address], self.name, self.environment)

    def sends_file(self, path):
        question = "SELECT 1 FROM file_transfer WHERE direction = 1 AND state = 0"
        before = len(self.asked(question))
        self.offers_file(path)
        stage.until("Dino has sent the file", lambda: len(self.asked(question)) > before)

    def offers_file(self, path):
        windows = len(self.windows())
        # Its paper clip is there only if a device that takes files was known when the conversation was selected; its key looks then.
        self.clicks("text", "GtkTextView")

        def asking():
            self.presses("ctrl+u")
            try:
                # Reading its file dialog through the accessibility interface crashes the program.
                return stage.until("the window for files opens", lambda: len(self.windows()) > windows, timeout=5)
            except stage.NotSeen:
                return False
        stage.until("Dino knows a device that takes files", asking)
        self.pauses()
        self.presses("ctrl+l")
        self.types(str(path))

        def chosen():
            # The file dialog needs some time to find the typed file.
            self.presses("Return")
            time.sleep(1)
            return len(self.windows()) == windows
        stage.until("the window for files closes", chosen)
        self.sees("push button", "Send")
        self.presses("Return")

    def accepts_file(self, file):
        """It loads small files of contacts by itself."""

    def has_direct_file(self, name, wanted):
        folder = self.stage.folder / self.name / "data/dino/files"
        stage.until("Dino has “%s”" % name, lambda: [
            one for one in folder.glob("*") if hashlib.sha256(one.read_bytes()).hexdigest() == wanted],
            note=lambda: self.asked("SELECT direction, state, file_name, size, provider FROM file_transfer"))

    def has_sent(self, name):
        """It does not note when a file that it has offered was taken."""

    def knows_of_refusal(self, name):
        """It shows nothing of it; the answer is in its log."""
        log = self.stage.folder / (self.name + ".log")

        def refused():
            _, _, rest = log.read_text(errors="replace").partition(name)
            return "{urn:xmpp:jingle:1}:decline />" in rest
        stage.until("Dino learns that “%s” was declined" % name, refused)

    def has_file(self, kind, number=1):
        stage.until("Dino has %d files of %s" % (number, kind), lambda: len(self.asked(
            "SELECT 1 FROM file_transfer WHERE direction = 0 AND state = 0 AND mime_type LIKE ?", kind + "/%")) >= number)

    def corrects(self, old, new):
        self.clicks("text", "GtkTextView")
        self.presses("Up")
        self.sees("text", text=old)
        self.presses("ctrl+a")
        self.types(new)
        self.presses("Return")
        self.sees("label", has=[new, "edited"])

    def has_correction(self, sender, old, new):
        self.sees("label", has=[new, "edited"])
        self.misses("label", old)

    def reacts(self, sender, text):
        before = self.windows()
        self.order("point", text=text)
        self.order("tool", text=text, name="GtkMenuButton")
        popup = stage.until("the emoji come up", lambda: [one for one in self.windows() if one not in before])[0]
        self.types("thumbs up")
        # Results appear some time after the last letter, without an accessibility event.
        time.sleep(2)
        shape = person.shape_of(popup)
        person.xdotool("mousemove", str(shape["X"] + EMOJI_OF_SEARCH[0]), str(shape["Y"] + EMOJI_OF_SEARCH[1]),
                       "sleep", person.HAND, "click", "1")
        self.sees("label", has=["👍"])

    def has_reaction(self, sender, text):
        stage.until("Dino has the reaction to “%s”" % text, lambda: self.asked(
            "SELECT 1 FROM reaction JOIN content_item ON content_item.id = content_item_id JOIN message ON content_type = 1"
            " AND message.id = foreign_id WHERE body LIKE ? AND emojis = '👍'", "%" + text))
        self.sees("label", has=["👍"])

    def replies(self, sender, text, answer):
        self.order("point", text=text)
        self.order("tool", text=text, name="GtkImage")
        self.pauses()
        self.writes(answer)

    def has_reply(self, sender, text, answer):
        self.sees("label", answer)
        stage.until("Dino knows what “%s” answers" % answer, lambda: self.asked(
            "SELECT 1 FROM reply JOIN message ON message.id = reply.message_id WHERE body LIKE ? AND quoted_message_id > 0",
            "%" + answer))

    def joins(self, room):
        # A second call only activates the running program.
        self.stage.run(["dino-im", "xmpp:%s?join" % room], self.name, self.environment)
        self.clicks("push button", "Join")

    def comes_back(self, room):
        """It shows the room in its list, but joins only bookmarked rooms, and a link adds no bookmark."""
        self.open()
        self.sees("label", room)
        self.joins(room)
        self.opens(room)

    def opens(self, conversation):
        self.clicks("label", conversation)
