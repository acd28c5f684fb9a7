"""Plays an encrypted conversation between Hongyan and another program."""
import hongyan
import stage
from scenario import PURPLE, Scenario

ROOM = "reeds@conference." + stage.DOMAIN


class EncryptedScenario(Scenario):
    """Every text and file must arrive, be marked as encrypted by both programs, and not be stored by the server."""

    def __init__(self, scene, name):
        super().__init__(scene, name)
        self.wu = hongyan.Terminal("wu", scene)
        self.bob.encrypts_with = (self.alice.address, self.li.address, self.wu.address, ROOM)

    def play(self):
        hongyan.run_terminal(self.bob, "register", self.bob.address)
        for someone in (self.alice, self.bob, self.li, self.wu):
            someone.sign_in()
        for someone in (self.alice, self.li, self.wu):
            hongyan.run_terminal(someone, "keys", "policy", "when-possible")
        for someone in (self.li, self.wu):
            hongyan.run_terminal(someone, "keys", "publish")
        self.make_media()
        self.bob.open()
        self.step("contact request", self.forth, self.befriend)
        self.step("contact request", self.terminal_forth, lambda: (
            self.li.befriend(self.bob.address), self.bob.accept_friend(self.li.address),
            # Gajim keeps a first message to an account that is not its contact as a draft.
            self.wu.befriend(self.bob.address), self.bob.accept_friend(self.wu.address)))
        self.step("first message", self.forth, self.sends_first)
        self.step("text", self.back, self.answers)
        self.first_while_offline()
        self.step("picture", self.forth, lambda: (
            self.bob.opens(self.alice.address), self.bob.encrypts(), self.alice.sends_file(self.meadow),
            self.bob.has_encrypted_file("image")))
        self.step("picture", self.back, lambda: (
            self.bob.sends_file(self.meadow), self.alice.has_picture("bob", PURPLE),
            self.alice.sees("filler", has=["bob, Picture", "Encrypted"])))
        # Nothing in a legacy message says that it is a voice message.
        self.step("voice, as a file", self.forth, lambda: (
            self.alice.speaks(self.speech), self.bob.has_encrypted_voice()))
        self.step("voice", self.back, lambda: (
            self.bob.sends_file(self.voice), self.alice.hears("bob"),
            self.alice.sees("filler", has=["bob, Voice message", "Encrypted"])))
        self.room()

    def is_hidden(self, text):
        """The server has not stored the text."""
        data = self.scene.folder / "state/hongyan/server"
        found = [one for one in data.glob("**/*") if one.is_file() and text.encode() in one.read_bytes()]
        if found:
            raise stage.NotSeen("the server has stored “%s” in %s" % (text, found))

    def sends_first(self):
        text = "The word is Blauregen."
        self.alice.sees("push button", "Encrypted")
        self.alice.writes(text)
        self.bob.opens(self.alice.address)
        self.bob.has_text("alice", text)
        self.bob.has_encrypted(text)
        self.alice.sees("filler", has=["You, " + text, "Encrypted"])
        self.is_hidden("Blauregen")

    def answers(self):
        text = "The answer is Seidelbast."
        self.bob.encrypts()
        self.bob.writes(text)
        self.alice.sees("filler", has=["bob, " + text, "Encrypted"])
        self.is_hidden("Seidelbast")

    def first_while_offline(self):
        """Of accounts that have never written to each other, the receiver is offline."""
        bob, li, wu = self.bob, self.li, self.wu

        def forth():
            bob.ends()
            hongyan.run_terminal(li, "send", bob.address, "The reed is Goldregen.")
            self.is_hidden("Goldregen")
            bob.open()
            bob.finds(li.address, "The reed is Goldregen.")
            bob.has_encrypted("The reed is Goldregen.")

        def back():
            bob.talks(wu.address)
            bob.encrypts()
            bob.writes("The bird is Sanddorn.")
            self.is_hidden("Sanddorn")
            wu.listens()
            wu.heard("message", body="The bird is Sanddorn.")

        self.step("first message, offline", self.terminal_forth, forth)
        self.step("first message, offline", self.terminal_back, back)

    def room(self):
        alice, bob = self.alice, self.bob
        self.step("room: enter", self.back, lambda: (alice.makes_room("Reeds", bob), bob.joins(ROOM)))
        self.step("room: text", self.forth, lambda: (
            alice.looks(), alice.sees("push button", "Encrypted"), alice.writes("Only members read Schlehdorn."),
            bob.has_text("alice", "Only members read Schlehdorn."), bob.has_encrypted("Only members read Schlehdorn."),
            self.is_hidden("Schlehdorn")))
        self.step("room: text", self.back, lambda: (
            bob.encrypts(), bob.writes("So is Weissdorn."),
            alice.sees("filler", has=["bob, So is Weissdorn.", "Encrypted"]), self.is_hidden("Weissdorn")))
