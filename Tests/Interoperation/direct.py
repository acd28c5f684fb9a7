"""Sends files on a server that takes none: they go from device to device (XEP-0234)."""
import hongyan
from chat import Chat
from scenario import Scenario, digest


class DirectScenario(Scenario):
    """Each file must be offered, accepted or declined, and arrive as it was."""

    def play(self):
        hongyan.run_terminal(self.bob, "register", self.bob.address)
        for someone in (self.alice, self.bob, self.li):
            someone.sign_in()
        self.bob.open()
        self.step("contact request", self.forth, self.befriend)
        self.step("text", self.forth, lambda: (
            self.alice.writes("A file comes."), self.bob.opens(self.alice.address),
            self.bob.has_text("alice", "A file comes.")))
        # Gajim needs a second conversation to select it and return.
        self.step("contact request", self.terminal_forth, lambda: (
            self.li.befriend(self.bob.address), self.bob.accept_friend(self.li.address)))
        self.step("text", self.terminal_forth, lambda: (
            self.li.sends(self.bob.address, "Another comes."), self.bob.opens(self.li.address),
            self.bob.has_text("li", "Another comes.")))
        self.bob.opens(self.alice.address)
        self.window()
        self.terminal()

    def window(self):
        alice, bob = self.alice, self.bob
        for feature, file in (("small file", self.make("notes.csv", 5_000)), ("large file", self.make("flight.csv", 300_000))):
            self.step(feature, self.forth, lambda file=file: (
                alice.sends_file(file), bob.accepts_file(file), bob.has_direct_file(file.name, digest(file)),
                alice.knows_that_file_came(file)))
        for feature, file in (("small file", self.make("pond.csv", 7_000)), ("large file", self.make("reeds.csv", 400_000))):
            self.step(feature, self.back, lambda file=file: (
                bob.offers_file(file), alice.accepts_file(file), alice.has_direct_file(digest(file)), bob.has_sent(file.name)))
        unwanted = self.make("frogs.csv", 3_000)
        self.step("declined file", self.back, lambda: (
            bob.offers_file(unwanted), alice.declines_file(unwanted), bob.knows_of_refusal(unwanted.name)))

    def terminal(self):
        bob, chat = self.bob, Chat(self.li)
        chat.open(bob.address)
        given, taken, unwanted = self.make("nest.csv", 6_000), self.make("feathers.csv", 8_000), self.make("mud.csv", 3_000)
        self.step("small file", self.terminal_forth, lambda: (
            chat.sends_file(given), bob.accepts_file(given), bob.has_direct_file(given.name, digest(given)),
            chat.knows_that_file_came(given)))
        self.step("small file", self.terminal_back, lambda: (
            bob.opens(self.li.address), bob.offers_file(taken), chat.accepts_file(taken), chat.has_direct_file(taken),
            bob.has_sent(taken.name)))
        self.step("declined file", self.terminal_back, lambda: (
            bob.offers_file(unwanted), chat.declines_file(unwanted), bob.knows_of_refusal(unwanted.name)))
        if self.scene.pictures:
            (self.scene.pictures / "terminal.txt").write_text(chat.screen())
        chat.closes()

    def make(self, name, count):
        """A file that only its sender has."""
        folder = self.scene.folder / "sent"
        folder.mkdir(exist_ok=True)
        file = folder / name
        lines = "".join("%d,%d\n" % (number, number * 7919 % 10007) for number in range(count))
        file.write_text(name + "\n" + lines)
        return file
