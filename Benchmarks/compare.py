#!/usr/bin/env python3
"""Runs programs in alternation and compares what they report.

usage: compare.py [--json] [--server COMMAND] ROUNDS NAME=COMMAND… -- the last one is the peer with which the others are
compared. --json prints one object with every measurement instead of a table. The server runs meanwhile; it prints its port,
which replaces {port} in the commands, and ends when its standard input is closed.

Every command prints "… <number> us/stanza …" on one line. In each round every program runs once, one after the other,
so that other load of the machine affects all of them. Prints the best and the median of each program and,
for all but the peer, the ratio of the peer's time to its own: best against best, and the median and the worst of the
rounds.
"""
import argparse
import json
import re
import shlex
import statistics
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--server")
    parser.add_argument("rounds", type=int)
    parser.add_argument("programs", nargs="+")
    arguments = parser.parse_args()
    if not arguments.server:
        return compare(arguments, "")
    with subprocess.Popen(
        shlex.split(arguments.server), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            compare(arguments, server.stdout.readline().strip())
        finally:
            server.stdin.close()


def compare(arguments, port):
    rounds = arguments.rounds
    programs = [argument.replace("{port}", port).split("=", 1) for argument in arguments.programs]
    times = {name: [] for name, _ in programs}
    checks = {}
    for _ in range(rounds):
        for name, command in programs:
            output = subprocess.run(shlex.split(command), capture_output=True, text=True, check=True).stdout
            times[name].append(float(re.search(r"([\d.e-]+) us/stanza", output).group(1)))
            checks[name] = tuple(re.findall(r"(?:stanzas|bodies|bodyBytes)=\d+", output))
    if len(set(checks.values())) != 1:
        sys.exit(f"the programs did not do the same: {checks}")
    peer = programs[-1][0]
    if arguments.json:
        print(json.dumps({"peer": peer, "unit": "us of processor time per stanza", "times": times}))
        return
    print("the same in every program:", " ".join(next(iter(checks.values()))))
    print(f"{'program':<12} {'best':>8} {'median':>8}   us of processor time per stanza, {rounds} rounds")
    for name, _ in programs:
        print(f"{name:<12} {min(times[name]):8.3f} {statistics.median(times[name]):8.3f}")
    for name, _ in programs[:-1]:
        paired = [theirs / ours for ours, theirs in zip(times[name], times[peer])]
        print(
            f"{peer} / {name}: best against best {min(times[peer]) / min(times[name]):.2f}, "
            f"median of rounds {statistics.median(paired):.2f}, worst round {min(paired):.2f}"
        )


main()
