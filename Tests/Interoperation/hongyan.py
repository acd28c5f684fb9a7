"""Hongyan's programs: the desktop program and the terminal program."""
import hashlib
import json
import subprocess

import person
import stage
from chat import Chat
from people import Person


def invoke(order):
    """Performs an accessibility action of an element."""
    if not person.find(order).get_action_iface().do_action(0):
        raise person.Missing("nothing can be done with it")
    return {}


person.LOOKING["invoke"] = invoke


class Desktop(Person):
    """`hongyan-desktop`."""

    program = "hongyan-desktop"

    def sign_in(self):
        run_terminal(self, "register", self.address)

    def open(self, link=None):
        self.environment["G_DEBUG"] = "fatal-criticals"
        self.start([self.stage.programs / "hongyan-desktop"] + ([link] if link else []), self.name)
        self.place()

    def befriend(self, other):
        run_terminal(self, "add", other)

    def writes(self, text):
        self.clicks("text", "Message", at=(0.3, 0.5))
        self.types(text)
        self.sees("text", "Message", text=text)
        self.presses("Return")
        self.sees("filler", has=["You, " + text])

    def has_text(self, sender, text):
        self.sees("filler", has=["%s, %s" % (sender, text)])

    def knows_that_it_came(self, text, state):
        """The tick of a sent message; Seen implies Delivered."""
        # Ticks for an inactive window may be delayed by the server.
        self.looks()
        def came():
            for name in ["Delivered to a device", "Seen"][["delivered", "seen"].index(state):]:
                try:
                    return self.sees("filler", has=["You, " + text, name], seconds=0.5)
                except stage.NotSeen:
                    continue
            return None
        stage.until("%s learns that “%s” was %s" % (self.name, text, state), came)

    def looks(self):
        """Gives the window the keyboard focus, so that its messages count as seen."""
        self.clicks("text", "Message", at=(0.3, 0.5))

    def sends_file(self, path):
        self.clicks("push button", "Send pictures or files")
        self.sees("filler", "Send Pictures or Files")
        self.pauses()
        self.presses("ctrl+l")
        self.types(str(path))

        def chosen():
            # The file dialog needs some time to find the typed file.
            self.presses("Return")
            try:
                return self.sees("label", path.name, seconds=2)
            except stage.NotSeen:
                return None
        stage.until("the file is chosen", chosen)
        self.clicks("push button", "Send")

    def accepts_file(self, file):
        """Accepts what a device of the contact offers."""
        self.sees("filler", has=["bob, File: " + file.name])
        self.clicks("push button", "Accept")

    def declines_file(self, file):
        self.sees("filler", has=["bob, File: " + file.name])
        self.clicks("push button", "Decline")
        self.sees("label", "Declined")

    def knows_that_file_came(self, file):
        self.sees("filler", has=["You, File: " + file.name, "Delivered to a device"])

    def has_direct_file(self, wanted):
        """The program stores the file under its hash, and offers nothing any more."""
        folder = self.stage.folder / self.name / "profile"
        stage.until("%s has the file" % self.name, lambda: [
            one for one in folder.rglob("*") if one.is_file()
            and hashlib.sha256(one.read_bytes()).hexdigest() == wanted])
        self.misses("push button", "Accept")

    def has_picture(self, sender, colour):
        """The picture is shown in its colour, not only its URL."""
        self.sees("filler", has=["%s, Picture" % sender])
        self.order("paint", what={"role": "filler", "has": ["Picture: "]}, at=[0.25, 0.5], colour=colour)

    def speaks(self, sound):
        self.order("invoke", what={"role": "push button", "name": "Record a voice message"})
        self.sees("label", "Recording")
        subprocess.run(["paplay", "--device=microphone", str(sound)], check=True, timeout=60)
        self.clicks("push button", "Stop and listen")
        self.clicks("push button", "Send the voice message")
        self.sees("filler", has=["You, Voice message"])

    def hears(self, sender):
        self.sees("filler", has=["%s, Voice message" % sender])
        self.sees("label", "Not played yet")
        self.clicks("push button", "Play voice message")
        self.misses("label", "Not played yet")

    def corrects(self, old, new):
        self.chooses("menu item", "Edit", "You, " + old, own=True)
        self.sees("text", "Message", text=old)
        self.clicks("text", "Message", at=(0.3, 0.5))
        self.presses("ctrl+a")
        self.types(new)
        self.presses("Return")
        self.sees("filler", has=["You, " + new, "edited"])

    def has_correction(self, sender, old, new):
        self.sees("filler", has=["%s, %s" % (sender, new), "edited"])
        self.misses("filler", has=[old])

    def reacts(self, sender, text):
        self.chooses("push button", "React with 👍", "%s, %s" % (sender, text))
        self.sees("push button", has=["👍", " from "])

    def has_reaction(self, sender):
        # The server may delay it while the window is inactive.
        self.looks()
        self.sees("push button", has=["👍", " from ", sender])

    def replies(self, sender, text, answer):
        self.chooses("menu item", "Reply", "%s, %s" % (sender, text))
        self.sees("label", "Reply to %s" % sender)
        self.writes(answer)

    def has_reply(self, sender, text, answer):
        """The reply contains the quotation once, in its own element, and not a second time as “> ” in the text."""
        self.sees("filler", has=["%s, %s" % (sender, answer)])
        self.sees("push button", has=["Reply to", text])

    def chooses(self, role, name, message, own=False):
        """Selects an entry of the menu of a message, which is opened again if the message has changed."""
        def chosen():
            try:
                self.clicks("filler", has=[message], button=3, at=(0.9, 0.4) if own else (0.08, 0.4), seconds=5)
                self.clicks(role, name, seconds=5)
            except stage.NotSeen:
                self.presses("Escape")
                return False
            return True
        stage.until("the menu of “%s” has “%s”" % (message, name), chosen)

    def opens(self, conversation):
        self.clicks("list item", has=[conversation])
        self.sees("text", "Message")

    def makes_room(self, name, guest):
        """Creates a room by invitation only, and invites a contact."""
        self.clicks("push button", "Main Menu")
        self.clicks("menu item", "Join or Create a Room…")
        self.clicks("label", "Create a new room")
        self.clicks("text", "Name")
        self.types(name)
        self.clicks("push button", "Create Room")
        self.clicks("label", guest.name)
        self.clicks("push button", "Invite")
        self.sees("label", "1 person")

    def joins(self, room):
        """Creates a room in a terminal, as another device of the same user: the window follows."""
        terminal = Chat(self, self.stage.folder / self.name / "terminal")
        terminal.open()
        terminal.says("/join " + room)
        terminal.sees("There is no such room. Create it (yes/no)?")
        terminal.says("yes")
        terminal.sees("# " + room.split("@")[0], hides=["not in the room"])
        terminal.closes()


class Terminal:
    """`hongyan`, which has commands where a window has buttons."""

    def __init__(self, name, on):
        self.name, self.stage, self.environment = name, on, on.home(name)
        self.address = "%s@%s" % (name, stage.DOMAIN)

    def sign_in(self):
        run_terminal(self, "register", self.address)

    def befriend(self, other):
        run_terminal(self, "add", other)

    def sends(self, *words):
        run_terminal(self, "send", *words)

    def listens(self):
        self.stage.run([self.stage.programs / "hongyan", "listen", "--json", "--fetch", "all"], "listen-" + self.name,
                       self.environment)

    def heard(self, name, **wanted):
        """An event that `hongyan listen` has printed."""
        def look():
            for line in (self.stage.folder / ("listen-%s.log" % self.name)).read_text().splitlines():
                event = json.loads(line) if line.startswith("{") else {}
                if event.get("event") == name and wanted.items() <= event.items():
                    return event
            return None
        return stage.until("%s hears of %s %s" % (self.name, name, wanted), look)


class Goose:
    """The bot of the examples, under an address that is known before it is online."""

    def __init__(self, on):
        self.stage = on
        self.account = "goose@" + stage.DOMAIN
        self.address = self.account + "/pond"

    def starts(self):
        password = self.stage.folder / "goose-password"
        password.write_text(stage.PASSWORD + "\n")
        self.stage.run([self.stage.programs / "goose", self.address, password], "goose")
        log = self.stage.folder / "goose.log"
        stage.until("the goose is online", lambda: "ready" in log.read_text(), note=log.read_text)


def run_terminal(someone, *words):
    password = someone.stage.folder / someone.name / "password"
    password.write_text(stage.PASSWORD + "\n")
    command = [str(someone.stage.programs / "hongyan"), *map(str, words)]
    if words[0] in ("register", "login"):
        # The plain scenario looks at what the server stores.
        command += ["--password-file", str(password), "--encryption", "off"]
    done = subprocess.run(command, env=someone.environment, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        raise stage.NotSeen("hongyan %s: %s" % (" ".join(map(str, words)), done.stderr.strip()))
    return done.stdout
