"""A person with profanity in a pseudo-terminal, for the tests.

Usage: profanity.py ADDRESS PASSWORD HOST PORT FOLDER

Each line of the input is typed as it is, when the one before has taken effect. Writes one line for each message in
profanity's chat logs, as it is there, and `ready` when it is online with keys, and after each further command that takes time.
"""

import fcntl
import os
import pathlib
import pty
import re
import select
import struct
import sys
import termios

address, password, host, port, folder = sys.argv[1:]
home = pathlib.Path(folder)
chats = home / "data/profanity/chatlogs"
ESCAPES = re.compile(rb"\x1b(\[[0-9;?]*[A-Za-z]|[()][A-Z0-9]|[=>78])")
# In the log when it knows the features of the server, without which it does not publish.
FEATURES = b"connection_features_received conference"
# What the screen or the log shows, and what is typed then.
STEPS = [
    (b"Type '/help'", f"/connect {address}"),
    (FEATURES, "/omemo gen"),
    (b"Publishing device list", None),
]

def prepare():
    """The account, without a certificate check: the authority of the tests is unknown to it."""
    (home / "data/profanity").mkdir(parents=True)
    (home / "config/profanity").mkdir(parents=True)
    (home / "data/profanity/accounts").write_text(
        f"[{address}]\nenabled=true\njid={address}\npassword={password}\nserver={host}\nport={port}\n"
        "resource=profanity\ntls.policy=trust\nmuc.service=\nmuc.nick=juliet\n", encoding="utf-8")
    (home / "config/profanity/profrc").write_text(
        "[logging]\nchlog=true\ngrlog=true\n[omemo]\nlog=on\npolicy=automatic\ntrustmode=blind\n"
        "[ui]\nsplash=false\n[notifications]\nmessage=off\n", encoding="utf-8")


def main():
    prepare()
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(
            HOME=folder, XDG_CONFIG_HOME=str(home / "config"), XDG_DATA_HOME=str(home / "data"), TERM="xterm",
            LC_ALL="C.UTF-8", LANGUAGE="")
        os.execvp("profanity", ["profanity", "--log", "DEBUG"])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
    steps, shown, lengths, waiting, peer = list(STEPS), b"", {}, b"", b""
    debug = home / "data/profanity/logs/profanity.log"
    position = 0
    while True:
        ready, _, _ = select.select([terminal, sys.stdin], [], [], 0.1)
        if terminal in ready:
            try:
                shown += ESCAPES.sub(b"", os.read(terminal, 65536))
            except OSError:
                break
        if debug.exists():
            with open(debug, "rb") as log:
                log.seek(position)
                got = log.read()
            position += len(got)
            shown += got
        while steps and steps[0][0] in shown:
            line, shown = steps.pop(0)[1], b""
            if line:
                os.write(terminal, line.encode() + b"\r")
            if not steps:
                print("ready", flush=True)
        if sys.stdin in ready:
            got = os.read(sys.stdin.fileno(), 65536)
            if not got:
                break
            waiting += got
        while not steps and b"\n" in waiting:
            line, waiting = waiting.split(b"\n", 1)
            shown = b""
            if line.startswith(b"/msg "):
                peer = line.split(b" ")[1]
            if line.startswith(b"/connect"):
                steps = [(FEATURES, None)]
            elif line == b"/omemo start":
                steps = [(b"[OMEMO] session with " + peer, None)]
            os.write(terminal, line + b"\r")
        for log in chats.rglob("*.log"):
            text = log.read_text(encoding="utf-8")
            new = text[lengths.get(log, 0):]
            end = new.rfind("\n") + 1
            lengths[log] = lengths.get(log, 0) + end
            for line in new[:end].splitlines():
                print(line, flush=True)
    os.kill(child, 9)


main()
