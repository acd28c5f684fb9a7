"""Plays the conversation between Hongyan and another program, and prints the results."""
import argparse
import hashlib
import subprocess
import sys
import time
import traceback

import dino
import gajim
import hongyan
import stage

PROGRAMS = {"dino": dino.Dino, "gajim": gajim.Gajim}
PURPLE = [208, 32, 160]
ROOM = "pond@conference." + stage.DOMAIN


def digest(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


class Scenario:
    """Each step is executed, even after a failed one, with its direction."""

    def __init__(self, scene, name):
        self.scene = scene
        self.results = []
        self.alice = hongyan.Desktop("alice", scene, 0)
        self.bob = PROGRAMS[name]("bob", scene, 1040)
        self.li = hongyan.Terminal("li", scene)
        self.forth = "Hongyan → " + self.bob.program
        self.back = self.bob.program + " → Hongyan"
        self.terminal_forth = "terminal → " + self.bob.program
        self.terminal_back = self.bob.program + " → terminal"

    def step(self, feature, direction, action, *arguments):
        reason = self.bob.unsupported.get((feature, direction in (self.back, self.terminal_back)))
        began = time.monotonic()
        if reason:
            result = "not supported by %s%s" % (self.bob.program, "" if reason is True else ": " + reason)
        else:
            try:
                action(*arguments)
                result = "passed"
            except (stage.NotSeen, subprocess.SubprocessError) as failure:
                result, reason = "failed", str(failure)
            except Exception:  # pylint: disable=broad-exception-caught
                result, reason = "failed", traceback.format_exc()
        self.results.append((feature, direction, result))
        number = len(self.results)
        self.scene.picture("%02d" % number)
        if result == "failed":
            self.scene.trees("%02d" % number, self.alice, self.bob)
        print("%2d  %-24s %-22s %-24s %3d s%s" % (
            number, feature, direction, result, time.monotonic() - began,
            "\n    " + reason if result == "failed" else ""), flush=True)

    def play(self):
        hongyan.run_terminal(self.bob, "register", self.bob.address)
        for someone in (self.alice, self.bob, self.li):
            someone.sign_in()
        self.make_media()
        self.bob.open()
        self.step("contact request", self.forth, self.befriend)
        self.texts()
        self.files()
        self.changes()
        self.command()
        self.terminal()
        self.room()

    def make_media(self):
        self.meadow = self.scene.folder / "meadow.png"
        subprocess.run(["convert", "-size", "200x200", "xc:rgb(208,32,160)", "xc:rgb(32,176,64)", "+append",
                        str(self.meadow)], check=True)
        self.speech = self.scene.folder / "speech.wav"
        subprocess.run(["espeak-ng", "-w", str(self.speech), "The geese are flying south."], check=True)
        self.voice = self.scene.folder / "voice.ogg"
        subprocess.run(["gst-launch-1.0", "-q", "filesrc", "location=%s" % self.speech, "!", "wavparse", "!", "audioconvert",
                        "!", "audioresample", "!", "opusenc", "!", "oggmux", "!", "filesink",
                        "location=%s" % self.voice], check=True, env=self.scene.environment)

    def befriend(self):
        self.alice.befriend(self.bob.address)
        self.bob.accept_friend(self.alice.address)
        self.alice.open("xmpp:" + self.bob.address)
        self.alice.sees("label", "bob")
        self.alice.sees("label", "online")

    def texts(self):
        alice, bob = self.alice, self.bob
        text = "Hello Bob, the geese are flying south."
        self.step("text", self.forth, lambda: (
            alice.writes(text), bob.opens(alice.address), bob.has_text("alice", text)))
        self.step("receipt", self.back, lambda: alice.knows_that_it_came(text, "delivered"))
        self.step("displayed", self.back, lambda: (bob.looks(), alice.knows_that_it_came(text, "seen")))
        answer = "鸿雁传书，平安到了 🎉"
        self.step("text", self.back, lambda: (bob.writes(answer), alice.has_text("bob", answer)))
        self.step("receipt", self.forth, lambda: bob.knows_that_it_came(answer, "delivered"))
        self.step("displayed", self.forth, lambda: (alice.looks(), bob.knows_that_it_came(answer, "seen")))

    def files(self):
        alice, bob = self.alice, self.bob
        self.step("picture", self.forth, lambda: (alice.sends_file(self.meadow), bob.has_file("image")))
        self.step("picture", self.back, lambda: (bob.sends_file(self.meadow), alice.has_picture("bob", PURPLE)))
        self.step("voice", self.forth, lambda: (alice.speaks(self.speech), bob.has_file("audio")))
        self.step("voice", self.back, lambda: (bob.sends_file(self.voice), alice.hears("bob")))

    def changes(self):
        alice, bob = self.alice, self.bob
        old, new = "See you at the pont.", "See you at the pond."
        self.step("correction", self.forth, lambda: (
            alice.writes(old), bob.has_text("alice", old), alice.corrects(old, new), bob.has_correction("alice", old, new)))
        self.step("reaction", self.back, lambda: (bob.reacts("alice", new), alice.has_reaction("bob")))
        self.step("reply", self.back, lambda: (
            bob.replies("alice", new, "With bread."), alice.has_reply("bob", new, "With bread.")))
        # Dino 0.4 does not find its own messages any more once it has corrected them.
        self.step("reaction", self.forth, lambda: (alice.reacts("bob", "With bread."), bob.has_reaction("alice", "With bread.")))
        self.step("reply", self.forth, lambda: (
            alice.replies("bob", "With bread.", "And grain."), bob.has_reply("alice", "With bread.", "And grain.")))
        old, new = "At none.", "At noon."
        self.step("correction", self.back, lambda: (
            bob.writes(old), alice.has_text("bob", old), bob.corrects(old, new), alice.has_correction("bob", old, new)))

    def command(self):
        """A bot offers a command to its contact."""
        goose = hongyan.Goose(self.scene)
        self.step("command", self.forth, lambda: None)
        self.step("command", self.back, lambda: (
            goose.starts(), hongyan.run_terminal(self.bob, "add", goose.account),
            self.bob.executes("Feed the goose", goose.address, "The goose eats the grass.")))

    def terminal(self):
        bob, li = self.bob, self.li
        to_bob, from_li = bob.address, li.address
        li.listens()
        self.step("contact request", self.terminal_forth, lambda: (li.befriend(to_bob), bob.accept_friend(from_li)))
        self.step("text", self.terminal_forth, lambda: (
            li.sends(to_bob, "Written at a terminal."), bob.opens(from_li),
            bob.has_text("li", "Written at a terminal.")))
        self.step("picture", self.terminal_forth, lambda: (
            li.sends(to_bob, "--picture", self.meadow), bob.has_file("image", 2)))
        self.step("voice", self.terminal_forth, lambda: (
            li.sends(to_bob, "--voice", self.voice), bob.has_file("audio", 2)))
        self.step("text", self.terminal_back, lambda: (
            bob.writes("Read at a terminal."), li.heard("message", body="Read at a terminal.")))
        self.step("picture", self.terminal_back, lambda: (
            bob.sends_file(self.meadow), li.heard("picture", sha256=digest(self.meadow))))
        self.step("voice", self.terminal_back, lambda: (
            bob.sends_file(self.voice), li.heard("voice", sha256=digest(self.voice))))

    def room(self):
        alice, bob = self.alice, self.bob
        self.step("room: enter", self.forth, lambda: (alice.joins(ROOM), alice.opens("pond")))
        self.step("room: enter", self.back, lambda: (bob.joins(ROOM), bob.opens(ROOM)))
        self.step("room: text", self.forth, lambda: (
            alice.writes("Who is at the pond?"), bob.has_text("alice", "Who is at the pond?")))
        self.step("room: text", self.back, lambda: (bob.writes("I am here."), alice.has_text("bob", "I am here.")))
        self.step("room: history", self.back, self.alice_comes_back)
        self.step("room: history", self.forth, self.bob_comes_back)

    def alice_comes_back(self):
        self.alice.ends()
        self.bob.writes("While you were away.")
        self.alice.open()
        self.alice.opens("pond")
        self.alice.has_text("bob", "I am here.")
        self.alice.has_text("bob", "While you were away.")

    def bob_comes_back(self):
        self.bob.ends()
        self.alice.writes("The ice holds.")
        self.bob.comes_back(ROOM)
        self.bob.has_text("alice", "The ice holds.")

    def table(self):
        features = list(dict.fromkeys(feature for feature, _, _ in self.results))
        directions = list(dict.fromkeys(direction for _, direction, _ in self.results))
        found = {(feature, direction): result for feature, direction, result in self.results}
        print("\n| | " + " | ".join(directions) + " |\n|" + " --- |" * (len(directions) + 1))
        for feature in features:
            print("| %s | %s |" % (feature, " | ".join(found.get((feature, one), "–") for one in directions)))
        return 1 if any(result == "failed" for _, _, result in self.results) else 0


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--folder", required=True)
    options.add_argument("--programs", required=True)
    options.add_argument("--pictures")
    options.add_argument("--stay", action="store_true")
    options.add_argument("--encrypted", action="store_true")
    options.add_argument("--direct", action="store_true")
    options.add_argument("other", choices=sorted(PROGRAMS))
    options = options.parse_args()
    scene = stage.Stage(options.folder, options.programs, options.pictures, takes_files=not options.direct)
    kind = Scenario
    # They extend this file.
    if options.encrypted:
        from encrypted import EncryptedScenario as kind  # pylint: disable=import-outside-toplevel
    elif options.direct:
        from direct import DirectScenario as kind  # pylint: disable=import-outside-toplevel
    scenario = kind(scene, options.other)
    status = 0
    try:
        scenario.play()
        status = scenario.table()
    except (stage.NotSeen, subprocess.SubprocessError) as failure:
        print("It could not begin: %s" % failure)
        status = 1
    if options.stay:
        print("ready", flush=True)
        time.sleep(7200)
    return status


if __name__ == "__main__":
    sys.exit(main())
