"""A person with profanity in a pseudo-terminal, for the tests.

Usage: profanity.py ADDRESS PASSWORD HOST PORT FOLDER

Each line of the input is typed as it is, when the one before has taken effect. Writes one line for each message in
profanity's chat logs, as it is there, `ready` when it is online with keys, and `done` with each later command that takes
time.
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
SERVICES = [b"conference", b"pubsub", b"upload"]
# The server has its list, and with it the keys, which were published before.
ANNOUNCED = re.compile(
    rb"Publishing device list.*Setting device list for " + re.escape(address.encode()), re.DOTALL)
# It knows the list of somebody else, requests the keys of a device there, and has a session. Keys alone are not enough:
# it requests those of each sender, too.
SESSION = re.compile(
    rb"start session with (?!" + re.escape(address.encode()) + rb")(\S+)\n"
    rb"[^\n]*request omemo bundle \(jid: \1, .*?session with \1 device", re.DOTALL)


def knows_services(shown, log):
    """Without their features it does not publish keys and does not upload."""
    return all(b"connection_features_received " + service in log for service in SERVICES)


# When these are true of what the screen and the log show, the line is typed.
STEPS = [
    (lambda shown, log: b"Type '/help'" in shown, f"/connect {address}"),
    (knows_services, "/omemo gen"),
    (lambda shown, log: ANNOUNCED.search(log), None),
]
# What is true when a command has taken effect.
EFFECTS = {
    "/connect": knows_services,
    "/disconnect": lambda shown, log: b"XMPP_CONN_DISCONNECT" in log,
    "/join": lambda shown, log: b"disco#info response for room" in log,
    "/omemo start": lambda shown, log: SESSION.search(log),
}


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
    steps, command, shown, log, lengths, waiting = list(STEPS), None, b"", b"", {}, b""
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
            with open(debug, "rb") as file:
                file.seek(position)
                got = file.read()
            position += len(got)
            log += got
        while steps and steps[0][0](shown, log):
            line, shown, log = steps.pop(0)[1], b"", b""
            if line:
                os.write(terminal, line.encode() + b"\r")
            if not steps:
                print(f"done {command}" if command else "ready", flush=True)
        if sys.stdin in ready:
            got = os.read(sys.stdin.fileno(), 65536)
            if not got:
                break
            waiting += got
        while not steps and b"\n" in waiting:
            line, waiting = waiting.split(b"\n", 1)
            shown, log = b"", b""
            command = line.decode()
            steps = [(effect, None) for name, effect in EFFECTS.items() if command.startswith(name)]
            os.write(terminal, line + b"\r")
        for file in chats.rglob("*.log"):
            text = file.read_bytes()
            new = text[lengths.get(file, 0):]
            end = new.rfind(b"\n") + 1
            lengths[file] = lengths.get(file, 0) + end
            sys.stdout.buffer.write(new[:end])
            sys.stdout.buffer.flush()
    os.kill(child, 9)


main()
