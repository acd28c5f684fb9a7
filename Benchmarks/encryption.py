#!/usr/bin/env python3
"""Runs programs in alternation and prints what encrypting and decrypting costs.

usage: encryption.py [--json] GENERATION DEVICES ROUNDS NAME=COMMAND… -- the others are compared with the first

Every command prints "encrypt=<number> decrypt=<number> reply=<number>", in microseconds of processor time for a message. In
each round every program runs once, one after the other, so that other load of the machine affects all of them.
"""
import json
import re
import shlex
import statistics
import subprocess
import sys

OPERATIONS = {
    "encrypt": "encrypt for {} devices",
    "decrypt": "decrypt",
    "reply": "decrypt the first message of a reply",
}


def main():
    arguments = sys.argv[1:]
    is_json = arguments[0] == "--json"
    generation, devices, rounds, *commands = arguments[is_json:]
    programs = [command.split("=", 1) for command in commands]
    times = {name: {operation: [] for operation in OPERATIONS} for name, _ in programs}
    for _ in range(int(rounds)):
        for name, command in programs:
            output = subprocess.run(shlex.split(command), capture_output=True, text=True, check=True).stdout
            found = dict(re.findall(r"(\w+)=([\d.e-]+)", output))
            for operation, values in times[name].items():
                values.append(float(found[operation]))
    figures = {
        name: {operation: {"median": statistics.median(v), "worst": max(v)} for operation, v in values.items()}
        for name, values in times.items()
    }
    if is_json:
        result = {"generation": generation, "devices": int(devices), "rounds": int(rounds), "operations": OPERATIONS}
        print(json.dumps({**result, "microseconds": figures}))
        return
    print(f"\n== {generation}: µs of processor time for a message, median (worst) of {rounds} rounds")
    print(f"{'':<40}" + "".join(f"{name:>22}" for name in figures))
    for operation, text in OPERATIONS.items():
        row = (values[operation] for values in figures.values())
        cells = "".join(f"{f'''{one['median']:,.1f} ({one['worst']:,.1f})''':>22}" for one in row)
        print(f"{text.format(devices):<40}{cells}")


main()
