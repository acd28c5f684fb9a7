"""What the peers in Python share: see messages.h."""
import os
import resource
import sys

RECEIVER = "romeo@montague.example/orchard"
SERVER = "capulet.example"
ACCOUNT = "juliet@capulet.example/balcony-7f3a"


def processor_time():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


class Work:
    """receive|send PORT AMOUNT"""

    def __init__(self, name):
        self.name = name
        what, port, amount = sys.argv[1:]
        self.is_sending = what == "send"
        self.port, self.amount = int(port), int(amount)
        self.question = "count" if self.is_sending else "go"
        self.bodies = 0
        self.start = processor_time()

    def message(self, number):
        """The identifier and the body of a message."""
        return (
            f"8f1c2e3a-0000-4000-8000-{number:012}",
            f"message number {number}: lunch at 12 & code review <later> 你好 🚀",
        )

    def received(self, body):
        """A message with a body was received. The last one ends the program."""
        if not self.is_sending and body != "end":
            self.bodies += 1
            return
        done = f"stanzas={body}" if self.is_sending else f"bodies={self.bodies}"
        print(f"{self.name} {(processor_time() - self.start) / self.amount * 1e6} us/stanza {done}", flush=True)
        os._exit(0)
