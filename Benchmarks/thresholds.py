#!/usr/bin/env python3
"""Counts allocations for each unit of work, and the memory of an idle session, and holds them against the numbers of an earlier
build.

usage: thresholds.py [--write] PROGRAM COUNTER FILE

PROGRAM is the measuring program, COUNTER the library made of allocations.c, and FILE holds the highest number of each
measurement, for one version of Swift. Prints the numbers; the exit status is 1 if one of them is more than TOLERANCE above
the number of the file.
--write writes the numbers to the file instead.

Each program runs with some units and with more of them: the difference is what the units take without the start. Unlike
times, allocations do not depend on the machine and its load. Where threads hand work to each other in batches, they depend on
it a little, and when messages are sent, more: the best of ROUNDS counts, and sending has its own tolerance.
"""
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

TOLERANCE = 0.05
# Under load each batch of messages is shorter.
SENDING_TOLERANCE = 1.0
SENDING = ("send single", "send batches", "send managed")
ROUNDS = 3
HERE = pathlib.Path(__file__).resolve().parent


class Counting:
    def __init__(self, program, counter, folder):
        self.program, self.counter, self.folder = program, counter, folder

    def run(self, *words):
        """The allocations of a run, and what it printed."""
        file = self.folder / "allocations"
        environment = dict(os.environ, LD_PRELOAD=self.counter, ALLOCATIONS=str(file))
        ran = subprocess.run([self.program, *map(str, words)], env=environment, capture_output=True, text=True)
        if ran.returncode:
            sys.exit(f"{shlex.join(map(str, words))} failed ({ran.returncode}):\n{ran.stdout}{ran.stderr}")
        return int(file.read_text()), ran.stdout

    def each(self, units, command, factor=2):
        """The allocations of one unit: `command` makes the words of a run with so many of them."""
        first, second = (self.run(*command(number))[0] for number in (units, factor * units))
        return (second - first) / (factor * units - units)

    def best(self, units, command, factor=2):
        return min(self.each(units, command, factor) for _ in range(ROUNDS))

    def corpus(self, kind, mix, number):
        file = self.folder / f"{kind}-{mix}-{number}.xml"
        if not file.exists():
            subprocess.run([self.program, kind, mix, str(file), str(number)], check=True, capture_output=True)
        return file

    def server(self, name, work, corpus=()):
        """The result of `work` with what a server prints when it is ready."""
        command = [sys.executable, HERE / name, *corpus]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
            try:
                return work(server.stdout.readline().split())
            finally:
                server.stdin.close()

    def idle(self, sessions):
        """The memory of a session without TLS that is online, in KiB."""
        return self.server(
            "loopback_server.py",
            lambda words: min(
                float(self.run("idle", words[0], sessions, 1)[1].split()[1]) for _ in range(ROUNDS)))

    def receive(self, mode, units):
        def one(number):
            corpus = self.corpus("stanzas", "day", number)
            return self.server(
                "loopback_server.py", lambda words: self.run("receive", mode, words[0], number)[0], [str(corpus)]
            )

        return min((one(2 * units) - one(units)) / units for _ in range(ROUNDS))


def measurements(counting):
    """(name, number) of each measurement."""
    for mix in counting.run("mixes")[1].split():
        yield f"parse {mix}", counting.each(
            2000, lambda number: ("parse", "fields", counting.corpus("corpus", mix, number)))
    yield "parse stanzas", counting.each(
        2000, lambda number: ("parse", "stanzas", counting.corpus("corpus", "day", number)))
    for mode in ("compose", "encode"):
        yield f"send {mode}", counting.each(2000, lambda number: ("send", mode, 0, number))
    for mode in ("single", "batches", "managed"):
        yield f"send {mode}", counting.server(
            "loopback_server.py",
            lambda words: counting.best(1000, lambda number: ("send", mode, words[0], number), factor=60))
    for mode in ("handler", "batches", "managed", "extensions"):
        yield f"receive {mode}", counting.receive(mode, 20_000)
    for mode in ("first", "kept"):
        yield f"login {mode}", counting.server(
            "prosody_server.py",
            lambda words: counting.best(5, lambda number: ("login", mode, *words, number)))
    yield "idle KiB", counting.idle(500)
    yield "insert", counting.best(2000, lambda number: ("insert", counting.folder, number))
    for generation in ("current", "legacy"):
        yield f"encryption {generation}", counting.best(
            20, lambda number: ("encryption", generation, 20, number))


def main():
    options = sys.argv[1:]
    write = "--write" in options
    words = [option for option in options if option != "--write"]
    if len(words) != 3:
        print(__doc__.strip())
        return 2
    program, counter, file = words
    path = pathlib.Path(file)
    limits = json.loads(path.read_text()) if path.exists() else {}
    numbers, exceeded = {}, []
    print(f"{'':24}{'now':>12}{'limit':>12}")
    with tempfile.TemporaryDirectory(prefix="hongyan-benchmark.") as folder:
        for name, number in measurements(Counting(program, counter, pathlib.Path(folder))):
            numbers[name] = round(number, 3)
            limit = limits.get(name)
            print(f"{name:24}{number:12.3f}{'' if limit is None else f'{limit:12.3f}'}", flush=True)
            tolerance = SENDING_TOLERANCE if name in SENDING else TOLERANCE
            if not write and (limit is None or number > limit * (1 + tolerance)):
                exceeded.append(name)
    if write:
        path.write_text(json.dumps(numbers, indent=2) + "\n")
        return 0
    for name in sorted(set(limits) - set(numbers)):
        print(f"{file} has “{name}”, which is not measured.", file=sys.stderr)
    for name in exceeded:
        print(f"{name}: {numbers[name]} is more than {limits.get(name, 'nothing')} in {file}.", file=sys.stderr)
    return 1 if exceeded or set(limits) - set(numbers) else 0


sys.exit(main())
