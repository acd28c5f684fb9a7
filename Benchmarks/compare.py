#!/usr/bin/env python3
"""Runs programs in alternation and compares what they report.

usage: compare.py [--json] [--name NAME] [--peers NUMBER] [--server COMMAND] ROUNDS PARTICIPANT=COMMAND…

The last ones, one or as many as --peers says, are the peers with which the others are compared. The server runs meanwhile;
it prints its port, which replaces {port} in the commands, and may print more words, {1}, {2} and so on; it ends when its
standard input is closed.

Every command prints "… <number> <unit> …" on one line, with a unit from UNITS, and may print what it did as "stanzas=…",
which must be the same for all, and details as "name=value". In each round every program runs once, one after the other, so that other load of the
machine affects all of them. Prints the best and the median of each program and, for each peer, the ratio of its figure to
those of the others: best against best, and the median and the worst of the rounds.

--json prints one object instead: the name, the unit, the number of rounds, every measurement of each participant, and the
ratios.
"""
import argparse
import json
import re
import shlex
import statistics
import subprocess
import sys

UNITS = {
    "us/stanza": "us of processor time per stanza",
    "us/message": "us of processor time per message",
    "KiB/session": "KiB of anonymous memory per session",
    "ms/login": "ms per login",
}
# What every participant must have done alike.
CHECKS = ("stanzas", "bodies", "bodyBytes")
FIGURE = re.compile(r"([\d.e-]+) (" + "|".join(UNITS) + r")\b")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--name", default="")
    parser.add_argument("--peers", type=int, default=1)
    parser.add_argument("--server")
    parser.add_argument("rounds", type=int)
    parser.add_argument("programs", nargs="+")
    arguments = parser.parse_args()
    if not arguments.server:
        return compare(arguments, [])
    with subprocess.Popen(
        shlex.split(arguments.server), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            compare(arguments, server.stdout.readline().split())
        finally:
            server.stdin.close()


def measure(programs, rounds):
    figures = {name: [] for name, _ in programs}
    checks, details = {}, {}
    unit = ""
    for _ in range(rounds):
        for name, command in programs:
            ran = subprocess.run(shlex.split(command), capture_output=True, text=True)
            found = FIGURE.search(ran.stdout)
            if ran.returncode or not found:
                sys.exit(f"{command} failed ({ran.returncode}):\n{ran.stdout}{ran.stderr}")
            figures[name].append(float(found.group(1)))
            unit = found.group(2)
            said = dict(re.findall(r"(\w+)=(\S+)", ran.stdout))
            checks[name] = {key: said.pop(key) for key in CHECKS if key in said}
            details[name] = said
    alike = {}
    for done in checks.values():
        for key, value in done.items():
            if alike.setdefault(key, value) != value:
                sys.exit(f"the programs did not do the same: {checks}")
    return figures, UNITS[unit], alike, details


def compare(arguments, words):
    programs = []
    for argument in arguments.programs:
        for key, word in {"port": words[:1], **{str(n): [word] for n, word in enumerate(words)}}.items():
            if word:
                argument = argument.replace("{" + key + "}", word[0])
        programs.append(argument.split("=", 1))
    figures, unit, checks, details = measure(programs, arguments.rounds)
    names = [name for name, _ in programs]
    ratios = []
    own = len(names) - arguments.peers
    for peer in reversed(names[own:]):
        for name in names[:own]:
            paired = [theirs / ours for ours, theirs in zip(figures[name], figures[peer])]
            ratios.append(
                {
                    "peer": peer,
                    "participant": name,
                    "best": min(figures[peer]) / min(figures[name]),
                    "median": statistics.median(paired),
                    "worst": min(paired),
                }
            )
    if arguments.json:
        result = {"name": arguments.name, "unit": unit, "rounds": arguments.rounds}
        print(json.dumps({**result, "measurements": figures, "ratios": ratios, "details": details}))
        return
    if checks:
        print("the same in every program:", " ".join(f"{key}={value}" for key, value in checks.items()))
    print(f"{'program':<20} {'best':>8} {'median':>8}   {unit}, {arguments.rounds} rounds")
    for name in names:
        said = " ".join(f"{key}={value}" for key, value in details[name].items())
        print(f"{name:<20} {min(figures[name]):8.3f} {statistics.median(figures[name]):8.3f}   {said}".rstrip())
    for ratio in ratios:
        print(
            f"{ratio['peer']} / {ratio['participant']}: best against best {ratio['best']:.2f}, "
            f"median of rounds {ratio['median']:.2f}, worst round {ratio['worst']:.2f}"
        )


main()
