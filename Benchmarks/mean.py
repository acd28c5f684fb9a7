#!/usr/bin/env python3
"""Prints the geometric mean and the worst of the ratios of several mixes.

usage: mean.py FILE -- the output of compare.py for each mix, after a line "== MIX"
"""
import math
import re
import sys


def main():
    mix = None
    ratios = {}
    for line in open(sys.argv[1]):
        if line.startswith("== "):
            mix = line[3:].strip()
        found = re.match(r"(\S+) / (\S+): .*median of rounds ([\d.]+)", line)
        if found:
            peer, program, ratio = found.groups()
            ratios.setdefault((peer, program), []).append((float(ratio), mix))
    print("\nAll mixes, medians of rounds:")
    for (peer, program), values in ratios.items():
        mean = math.exp(sum(math.log(ratio) for ratio, _ in values) / len(values))
        worst, where = min(values)
        print(f"{peer} / {program}: geometric mean {mean:.2f}, worst {worst:.2f} ({where})")


main()
