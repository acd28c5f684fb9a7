"""Compares the desktop program with Dino: both with the same account, contacts and messages, on a headless display.

    beside.py FOLDER HONGYAN-DESKTOP PROFILE [RUNS]

FOLDER is the folder of the display, which contains its picture in a file (Xvfb -fbdir), and is written to. Each program is
started like by a user who wants to read one conversation, and measured from outside: by the picture, and by the kernel's
information about the process.
"""
import mmap
import os
import pathlib
import signal
import sqlite3
import statistics
import subprocess
import sys
import time

PEER = "friend0@montague.example"
TICK = 1000 / os.sysconf("SC_CLK_TCK")
# A picture in which fewer lines change is complete: a cursor blinks, and scroll bars fade out.
FEW_LINES = 250
# A program is ready when nothing has changed for this time, in seconds.
QUIET = 4
TIMEOUT = 120


class Screen:
    """The picture of the display, line by line."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        field = [int.from_bytes(self.memory[at:at + 4], "big") for at in range(0, 100, 4)]
        # The format of xwd: the size of the header, ..., height, ..., bytes per line, ..., colours of 12 bytes each.
        self.height, self.line = field[5], field[12]
        self.start = field[0] + 12 * field[19]

    def picture(self):
        return self.memory[self.start:self.start + self.height * self.line]

    def changed(self, before, now):
        if before == now:
            return 0
        line = self.line
        before, now = memoryview(before), memoryview(now)
        return sum(before[at:at + line] != now[at:at + line] for at in range(0, len(now), line))


def processor(pid):
    """The processor time of all threads in user and kernel mode, in milliseconds."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK


def mebibytes(pid, name):
    for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) / 1024
    return 0


def start(command, environment, folder):
    """Starts a program in a separate network namespace without a connection."""
    return subprocess.Popen(
        ["unshare", "--user", "--map-root-user", "--net", *command], env=environment, stdin=subprocess.DEVNULL,
        stdout=open(folder / "log", "ab"), stderr=subprocess.STDOUT)


def stop(process):
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def first_paint(screen, process):
    """Waits until the picture is complete; returns the time since the start of `process` and its processor time, in milliseconds."""
    began = time.monotonic()
    before, complete, last = screen.picture(), None, began
    while True:
        time.sleep(0.005)
        if process.poll() is not None:
            raise SystemExit("beside.py: a program has ended before it showed anything")
        now = time.monotonic()
        picture = screen.picture()
        if screen.changed(before, picture) >= FEW_LINES:
            complete, last = ((now - began) * 1000, processor(process.pid)), now
        before = picture
        if complete and now - last > QUIET:
            return complete
        if now - began > TIMEOUT:
            raise SystemExit("beside.py: a program does not come to rest")


def measure(screen, command, environment, folder, runs):
    paints = []
    for run in range(runs):
        process = start(command, environment, folder)
        paints.append(first_paint(screen, process))
        if run < runs - 1:
            stop(process)
            time.sleep(1)
    memory = [mebibytes(process.pid, name) for name in ("Rss", "Pss")]
    if os.environ.get("HONGYAN_PICTURES"):
        subprocess.run(["import", "-window", "root", f"{os.environ['HONGYAN_PICTURES']}/{folder.name}.png"], check=True)
    # A cursor stops blinking after ten seconds.
    time.sleep(15)
    idle = processor(process.pid)
    time.sleep(30)
    idle = processor(process.pid) - idle
    stop(process)
    return [statistics.median(paint[index] for paint in paints) for index in (0, 1)] + memory + [idle / 3]


def fill(source, target):
    """Copies the messages of Hongyan's file to the file that Dino has created."""
    base = sqlite3.connect(target)
    base.execute("ATTACH ? AS hongyan", (str(source),))
    (own,) = base.execute(
        "SELECT a.address FROM hongyan.accounts o JOIN hongyan.addresses a ON a.id = o.address").fetchone()
    base.execute(
        "INSERT INTO account (id, bare_jid, resourcepart, password, alias, enabled, mam_earliest_synced)"
        " VALUES (1, ?, 'dino', 'secret', '', 1, 0)", (own,))
    base.executescript("""
        INSERT INTO jid (id, bare_jid) SELECT id, address FROM hongyan.addresses;
        INSERT INTO roster (account_id, jid, name, subscription)
            SELECT 1, a.address, c.name, c.subscription FROM hongyan.contacts c JOIN hongyan.addresses a ON a.id = c.address;
        INSERT INTO message (id, stanza_id, account_id, counterpart_id, our_resource, direction, type, time, local_time, body,
                encryption, marked)
            SELECT row_number() OVER (ORDER BY m.id), m.origin_id, 1, c.address, 'dino', m.flags & 1, 1,
                m.order_time / 1000, m.order_time / 1000, m.body, 0, 0
            FROM hongyan.messages m JOIN hongyan.conversations c ON c.id = m.conversation WHERE m.kind = 0;
        INSERT INTO conversation (account_id, jid_id, active, active_last_changed, last_active, type, encryption, read_up_to,
                notification, send_typing, send_marker)
            SELECT 1, counterpart_id, 1, max(time), max(time), 0, 0, max(id), 0, 0, 0 FROM message GROUP BY counterpart_id;
        INSERT INTO content_item (conversation_id, time, local_time, content_type, foreign_id, hide)
            SELECT c.id, m.time, m.local_time, 1, m.id, 0 FROM message m JOIN conversation c ON c.jid_id = m.counterpart_id
            ORDER BY m.time, m.id;
        UPDATE conversation SET read_up_to_item = (SELECT max(id) FROM content_item i WHERE i.conversation_id = conversation.id);
        """)
    base.commit()
    count = base.execute("SELECT count(*) FROM content_item").fetchone()[0]
    base.close()
    return count


def main():
    folder, program, profile = (pathlib.Path(path) for path in sys.argv[1:4])
    runs = int(sys.argv[4]) if len(sys.argv) > 4 else 5
    screen = Screen(folder / "Xvfb_screen0")
    results = {}

    def environment(name, **others):
        place = folder / name
        for part in ("config", "data", "cache", "run"):
            (place / part).mkdir(parents=True, mode=0o700, exist_ok=True)
        return place, dict(
            os.environ, XDG_CONFIG_HOME=str(place / "config"), XDG_DATA_HOME=str(place / "data"),
            XDG_CACHE_HOME=str(place / "cache"), XDG_RUNTIME_DIR=str(place / "run"), **others)

    place, settings = environment("dino")
    base = place / "data/dino/dino.db"
    process = start(["dino-im"], settings, place)
    first_paint(screen, process)
    stop(process)
    print(f"Dino has {fill(profile / 'chat.db', base)} messages", file=sys.stderr)
    results["Dino"] = measure(screen, ["dino-im", f"xmpp:{PEER}"], settings, place, runs)

    place, settings = environment("hongyan", HONGYAN_PROFILE=str(profile))
    results["Hongyan"] = measure(screen, [str(program), f"xmpp:{PEER}"], settings, place, runs)

    print("|         | conversation complete | processor until then | RSS     | PSS     | processor while idle for 10 s |")
    print("| ------- | --------------------- | -------------------- | ------- | ------- | ----------------------------- |")
    for name in ("Hongyan", "Dino"):
        wall, used, resident, proportional, idle = results[name]
        print(f"| {name:7} | {wall:18.0f} ms | {used:17.0f} ms | {resident:3.0f} MiB | {proportional:3.0f} MiB |"
              f" {idle:26.1f} ms |")


main()
