#!/usr/bin/env python3
"""Measures whether the cost of one more stays what it was, while there are ten times as many.

usage: growth.py [--json] ROUNDS PROGRAM FOLDER -- PROGRAM is that of Scripts/benchmark, FOLDER for its stores

Prints the processor time of one, the median of the rounds, for each number, and how many times as much it is as with a tenth.
"""
import json
import pathlib
import re
import statistics
import subprocess
import sys

NUMBERS = {
    "contacts": (1_000, 10_000, 100_000),
    "occupants": (200, 2_000, 20_000),
    "archive": (1_000, 10_000, 100_000),
    "unacknowledged": (100, 1_000, 10_000),
    "stored": (10_000, 100_000, 1_000_000),
}


def measure(program, kind, port, number, folder):
    ran = subprocess.run([program, "growth", kind, port, str(number), folder], capture_output=True, text=True)
    found = re.search(r"([\d.e-]+) us/unit units=(\d+)", ran.stdout)
    if ran.returncode or not found:
        sys.exit(f"growth {kind} {number} failed ({ran.returncode}):\n{ran.stdout}{ran.stderr}")
    return float(found.group(1))


def main():
    options = [argument for argument in sys.argv[1:] if argument.startswith("--")]
    rounds, program, folder = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    server = [sys.executable, str(pathlib.Path(__file__).parent / "growth_server.py")]
    figures = {}
    with subprocess.Popen(server, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        try:
            port = running.stdout.readline().strip()
            for kind, numbers in NUMBERS.items():
                # A million messages take a minute.
                repeated = 1 if kind == "stored" else int(rounds)
                figures[kind] = {number: [] for number in numbers}
                for _ in range(repeated):
                    for number in numbers:
                        figures[kind][number].append(measure(program, kind, port, number, folder))
        finally:
            running.stdin.close()
    growth = {
        kind: [(number, statistics.median(values)) for number, values in found.items()] for kind, found in figures.items()
    }
    if "--json" in options:
        print(json.dumps({"growth": growth, "rounds": int(rounds)}))
        return
    for kind, steps in growth.items():
        for place, (number, figure) in enumerate(steps):
            ratio = f"  {figure / steps[place - 1][1]:.2f} of that with a tenth" if place else ""
            print(f"{kind:15} {number:9,} {figure:8.2f} us each{ratio}")


main()
