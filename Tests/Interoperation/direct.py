"""Sends files on a server that takes none: they go from device to device (XEP-0234)."""
import hongyan
from scenario import Scenario, digest


class DirectScenario(Scenario):
    """Each file must be offered, accepted or declined, and arrive as it was."""

    def play(self):
        hongyan.run_terminal(self.bob, "register", self.bob.address)
        for someone in (self.alice, self.bob):
            someone.sign_in()
        self.bob.open()
        self.step("contact request", self.forth, self.befriend)
        self.step("text", self.forth, lambda: (
            self.alice.writes("A file comes."), self.bob.opens(self.alice.address),
            self.bob.has_text("alice", "A file comes.")))
        # Dino looks only then whether files can be sent.
        self.bob.ends()
        self.bob.open()
        self.bob.opens(self.alice.address)
        for feature, file in (("small file", self.make("notes.csv", 5_000)), ("large file", self.make("flight.csv", 300_000))):
            self.step(feature, self.forth, lambda file=file: (
                self.alice.sends_file(file), self.bob.accepts_file(file),
                self.bob.has_direct_file(file.name, digest(file)), self.alice.sees("filler", has=["You, ", "Delivered"])))
        for feature, file in (("small file", self.make("pond.csv", 7_000)), ("large file", self.make("reeds.csv", 400_000))):
            self.step(feature, self.back, lambda file=file: (
                self.bob.offers_file(file), self.alice.accepts_file(file), self.alice.has_direct_file(digest(file))))
        unwanted = self.make("frogs.csv", 3_000)
        self.step("declined file", self.back, lambda: (
            self.bob.offers_file(unwanted), self.alice.declines_file(), self.bob.knows_of_refusal(unwanted.name)))

    def make(self, name, count):
        """A file that only its sender has."""
        folder = self.scene.folder / "sent"
        folder.mkdir(exist_ok=True)
        file = folder / name
        lines = "".join("%d,%d\n" % (number, number * 7919 % 10007) for number in range(count))
        file.write_text(name + "\n" + lines)
        return file
