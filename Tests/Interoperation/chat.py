"""Somebody who uses `hongyan chat` in a terminal."""
import hashlib
import re
import shlex
import subprocess

import stage


class Chat:
    """A chat in a terminal of its own, whose screen is read and whose keys are pressed."""

    def __init__(self, someone, profile=None):
        self.stage, self.name, self.address = someone.stage, someone.name, someone.address
        self.environment = dict(someone.environment, TERM="xterm")
        if profile:
            self.environment["HONGYAN_PROFILE"] = str(profile)
        self.tmux = ["tmux", "-S", str(self.stage.folder / ("tmux-" + self.name)), "-f", "/dev/null"]

    def open(self, *address):
        command = shlex.join([str(self.stage.programs / "hongyan"), "chat", *address])
        subprocess.run(self.tmux + ["new-session", "-d", "-x", "100", "-y", "30", command], env=self.environment, check=True)
        self.sees("online")

    def screen(self):
        return subprocess.run(self.tmux + ["capture-pane", "-p"], capture_output=True, text=True, check=False).stdout

    def sees(self, *words, hides=()):
        """One line of the screen has all of these words, and no line has the others."""
        def shown():
            lines = self.screen().splitlines()
            return any(all(word in line for word in words) for line in lines) and not any(
                word in line for word in hides for line in lines)
        stage.until("%s reads %s at the terminal" % (self.name, " ".join(words)), shown, note=self.screen)

    def says(self, text):
        subprocess.run(self.tmux + ["send-keys", "-l", text], check=True)
        subprocess.run(self.tmux + ["send-keys", "Enter"], check=True)

    def sends_file(self, path):
        self.says("/file %s" % path)
        self.sees(path.name)

    def knows_that_file_came(self, path):
        """The entry of the file ends with two ticks; the next one begins with its time."""
        stage.until("%s learns that “%s” came" % (self.name, path.name), lambda: "✓✓" in re.split(
            r"\n\d\d:\d\d ", self.screen().partition(path.name)[2])[0], note=self.screen)

    def accepts_file(self, file):
        self.sees(file.name, "/get accepts it")
        self.says("/get")

    def declines_file(self, file):
        self.sees(file.name, "/get accepts it")
        self.says("/decline")
        self.sees(file.name, "(Declined)")

    def has_direct_file(self, file):
        """The program says where the file is, and it is what was sent."""
        wanted = hashlib.sha256(file.read_bytes()).digest()
        folder = self.stage.folder / self.name
        stage.until("%s has “%s”" % (self.name, file.name), lambda: [
            one for one in folder.rglob("*") if one.is_file() and hashlib.sha256(one.read_bytes()).digest() == wanted],
            note=self.screen)
        self.sees(file.name, hides=["/get accepts it"])

    def closes(self):
        self.says("/quit")
        stage.until("the chat of %s ends" % self.name, lambda: subprocess.run(
            self.tmux + ["has-session"], capture_output=True, check=False).returncode != 0)
