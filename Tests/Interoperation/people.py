"""A user with a window: sees and acts through `person.py`."""
import time

import person
import stage


class Person:
    """The common parts of all programs."""

    def __init__(self, name, on, left):
        self.name = name
        self.stage = on
        self.left = left
        self.environment = on.home(name)
        self.process = None
        # The addresses with which it encrypts, for programs whose menu of encryptions is not tested.
        self.encrypts_with = ()

    @property
    def address(self):
        return "%s@%s" % (self.name, stage.DOMAIN)

    def start(self, command, log):
        self.process = self.stage.run(command, log, self.environment)

    def ends(self):
        self.process.terminate()
        self.process.wait(stage.TIMEOUT)

    def order(self, action, seconds=stage.TIMEOUT, **words):
        answer = person.obey(dict(words, do=action, pid=self.process.pid, seconds=seconds))
        if "done" not in answer:
            raise stage.NotSeen("%s: %s %s: %s" % (self.name, action, words, answer.get("missing") or answer.get("broken")))
        return answer["done"]

    def sees(self, role, name=None, has=(), seconds=stage.TIMEOUT, **more):
        what = dict(more, role=role, has=list(has))
        if name is not None:
            what["name"] = name
        return self.order("see", what=what, seconds=seconds)

    def misses(self, role, name=None, has=(), seconds=stage.TIMEOUT):
        what = {"role": role, "has": list(has)}
        if name is not None:
            what["name"] = name
        return self.order("miss", what=what, seconds=seconds)

    def clicks(self, role, name=None, has=(), button=1, at=(0.5, 0.5), seconds=stage.TIMEOUT):
        what = {"role": role, "has": list(has)}
        if name is not None:
            what["name"] = name
        return self.order("click", what=what, button=button, at=list(at), seconds=seconds)

    def presses(self, *keys):
        return self.order("press", keys=list(keys))

    def types(self, text):
        if text.isascii():
            self.order("type", text=text)
        else:
            self.order("copy", text=text)
            self.presses("ctrl+v")

    def tree(self):
        return self.order("tree")["text"]

    def windows(self):
        try:
            return person.xdotool("search", "--onlyvisible", "--pid", str(self.process.pid)).split()
        except person.subprocess.CalledProcessError:
            # A process ended while they were counted.
            return []

    def place(self, width=1000, height=860):
        """Moves the first window to its position on the screen."""
        def move():
            try:
                window = self.windows()[0]
                person.xdotool("windowsize", window, str(width), str(height))
                person.xdotool("windowmove", window, str(self.left), "0")
            except (IndexError, person.subprocess.CalledProcessError):
                return False
            return True
        stage.until("%s has a window" % self.name, move)

    def pauses(self):
        """A pause like that of a hand; it is not used to wait for something."""
        time.sleep(0.3)
