#!/usr/bin/env python3
"""Writes Documentation/Benchmarks.md and its pictures from the results of Scripts/benchmark.

usage: report.py RESULTS DOCUMENTATION -- RESULTS is a file with what --json printed, DOCUMENTATION the folder
"""
import html
import json
import math
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import textwrap

# (name of the measurement, heading, explanation), in the order of the document. Those of parsing are one table.
SECTIONS = [
    ("parse", "Parsing", "Bytes to elements with the body as text and, as *fields*, with from, to, id and type as strings; *stanzas* are "
     "`Message`, `Presence` and `IQ`; *lookup* finds the first child of four names too. Each mix is as long as 100,000 stanzas of a "
     "client's day, and is read on one processor. expat alone makes no elements."),
    ("receive", "Receiving", "Stanzas of a day from a server on loopback: by an interceptor on the session's event loop (*handler*), in "
     "*batches* (`for await`), *near*: in batches on the thread of the session (`Session.taskExecutor`), by the interceptor with stream "
     "management (*managed*), and in batches with stream management and the *extensions* of a usual client."),
    ("send", "Sending", "Chat messages of 370 bytes to a server on loopback that discards them: one after the other from outside of the "
     "session (*single*), a hundred with each call (*batches*), one after the other with stream management (*managed*), which the "
     "others do not have. *encode* only makes and writes them, *compose* only makes them."),
    ("pingpong 1", "There and back, one at a time", "Messages to another client of the same process and back, through Prosody over TLS, the "
     "next one when one has come back, everything on one processor. *floor* is a client in C on OpenSSL without a library and without a "
     "parser: what the machine and the server allow."),
    ("pingpong 64", "There and back, 64 on the way", "The same with 64 messages on the way at the same time."),
    ("idle plain", "An idle session without TLS", "Anonymous memory of a session that is online."),
    ("idle tls", "An idle session with TLS", "The same, with TLS."),
    ("login", "Login", "Wall clock of a login at Prosody: with the password only (*first*), with the TLS session of the login before "
     "(*resumed*), with the keys of its password too (*kept*), and the same with TLS from the first byte (*direct*)."),
]
PEERS = {
    "libstrophe": "libstrophe", "iksemel": "libiksemel", "expat": "libexpat1", "libomemo-c": "libomemo-c", "Prosody": "prosody",
    "gloox": "libgloox", "loudmouth": "libloudmouth", "QXmpp": "libqxmpp", "slixmpp": "python3-slixmpp", "nbxmpp": "python3-nbxmpp",
    "libxml2": "libxml2", "RapidXml": "librapidxml",
}
# The measurements in which further libraries take part, and what of ours they are compared with.
OTHERS = [("others parse day", "fields", "parsing a day"), ("others receive", "handler", "receiving"), ("others send", "single", "sending")]
SPELLINGS = {"qxmpp": "QXmpp", "rapidxml": "RapidXml"}
# What grows, in the order of the table.
GROWTH = {
    "contacts": "contacts, list fetched", "occupants": "occupants, room entered", "archive": "messages of an archive, read in pages",
    "unacknowledged": "messages sent before one is acknowledged", "stored": "messages stored",
}
# Of a line of the document.
COLUMNS = 140
# Of a picture, in pixels.
WIDTH, ROW, LABEL, MARGIN = 720, 26, 130, 90
STYLE = (
    "text{font:13px sans-serif;fill:#222}.ours{fill:#1a5fb4}.peer{fill:#9a9996}.range{stroke:#222;stroke-width:1.5}"
    "@media(prefers-color-scheme:dark){text{fill:#eee}.ours{fill:#78aeed}.peer{fill:#77767b}.range{stroke:#eee}}"
)


def number(value):
    """With three digits."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.{max(0, 2 - math.floor(math.log10(value)))}f}" if value > 0 else "0"


def unit(measurement):
    return re.sub(r"^us\b", "µs", measurement["unit"])


def bars(measurement):
    """A picture: a bar for each participant, as long as its median, with a line from its best to its worst round."""
    figures, peers = measurement["measurements"], peers_of(measurement)
    longest = max(max(values) for values in figures.values())
    scale = (WIDTH - LABEL - MARGIN) / longest
    height = ROW * len(figures) + 8
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<title>{html.escape(measurement['name'])}, {html.escape(unit(measurement))}</title><style>{STYLE}</style>",
    ]
    for row, (name, values) in enumerate(figures.items()):
        top, median = row * ROW + 4, statistics.median(values)
        middle = top + ROW / 2
        first, last = (LABEL + scale * value for value in (min(values), max(values)))
        lines += [
            f'<text x="{LABEL - 8}" y="{middle + 4:g}" text-anchor="end">{html.escape(name)}</text>',
            f'<rect class="{"peer" if name in peers else "ours"}" x="{LABEL}" y="{top + 4}" width="{scale * median:.1f}" height="{ROW - 8}"/>',
            f'<line class="range" x1="{first:.1f}" x2="{last:.1f}" y1="{middle:g}" y2="{middle:g}"/>',
            f'<text x="{max(last, LABEL + scale * median) + 6:.1f}" y="{middle + 4:g}">{number(median)}</text>',
        ]
    return "\n".join([*lines, "</svg>"]) + "\n"


def peers_of(measurement):
    return list(dict.fromkeys(ratio["peer"] for ratio in measurement["ratios"]))


def table(measurement):
    """Median, best and worst of each participant, and how many times as much each peer needs: median and worst round."""
    peers = peers_of(measurement)
    ratios = {(ratio["participant"], ratio["peer"]): ratio for ratio in measurement["ratios"]}
    lines = [
        "| | median | best | worst |" + "".join(f" {peer} ÷ this |" for peer in peers), "| --- |" + " --- |" * (3 + len(peers))
    ]
    for name, values in measurement["measurements"].items():
        cells = [f"*{name}*" if name not in peers else name]
        cells += map(number, (statistics.median(values), min(values), max(values)))
        for peer in peers:
            ratio = ratios.get((name, peer))
            cells.append(f"{ratio['median']:.2f} ({ratio['worst']:.2f})" if ratio else "")
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def parsing(measurements):
    """One table for all mixes: how many times as much the peer needs."""
    peer = peers_of(measurements[0])[0]
    names = [name for name in measurements[0]["measurements"] if name != peer]
    lines = [
        f"{peer}'s time divided by that of each, median of rounds:", "", "| | " + " | ".join(names) + " |",
        "| --- |" + " --- |" * len(names)
    ]
    medians = {name: [] for name in names}
    for measurement in measurements:
        found = {ratio["participant"]: ratio["median"] for ratio in measurement["ratios"] if ratio["peer"] == peer}
        for name in names:
            medians[name].append(found[name])
        lines.append(f"| {measurement['name'].removeprefix('parse ')} | " + " | ".join(f"{found[n]:.1f}" for n in names) + " |")
    means = (f"**{math.exp(statistics.fmean(map(math.log, medians[n]))):.1f}**" for n in names)
    lines.append("| geometric mean | " + " | ".join(means) + " |")
    return lines


def others(named):
    """How many times as much the further libraries need."""
    found = {}
    for name, participant, _ in OTHERS:
        for ratio in named[name]["ratios"]:
            if ratio["participant"] == participant:
                found.setdefault(ratio["peer"], {})[name] = ratio["median"]
    lines = [
        "## Other libraries", "", "How many times the processor time of *" + "*, *".join(one for _, one, _ in OTHERS) + "* each needs for the "
        f"same: 20,000 stanzas of a day or messages, {named[OTHERS[0][0]]['rounds']} rounds. RapidXml reads stanzas in place, each cut from the "
        "stream before, and checks neither characters nor namespaces: what a parser takes at least. libxml2 makes no elements.",
        "", "| | " + " | ".join(title for *_, title in OTHERS) + " |", "| --- |" + " --- |" * len(OTHERS)
    ]
    for peer, ratios in sorted(found.items(), key=lambda item: item[0].lower()):
        cells = (number(ratios[name]) if name in ratios else "" for name, *_ in OTHERS)
        lines.append(f"| {SPELLINGS.get(peer, peer)} | " + " | ".join(cells) + " |")
    return [*lines, ""]


def growth(result):
    lines = [
        "## Growth", "", "µs of processor time for each of so many, and in parentheses how many times as much that is as with a tenth of "
        "them.", "", "| | some | ten times as many | a hundred times as many |",
        "| --- | --- | --- | --- |"
    ]
    for kind, steps in result["growth"].items():
        cells = []
        for place, (count, figure) in enumerate(steps):
            ratio = f" ({figure / steps[place - 1][1]:.2f})" if place else ""
            cells.append(f"{count:,}: {number(figure)}{ratio}")
        lines.append(f"| {GROWTH[kind]} | " + " | ".join(cells) + " |")
    return [*lines, ""]


def encryption(results):
    lines = ["## Encryption", "", "µs of processor time for a message of 600 bytes, median (worst). Each program reads a session from its "
             "stored form and stores it afterwards. twomemo and oldmemo are in Python.", ""]
    for result in results:
        figures = result["microseconds"]
        lines += [f"| {result['generation']} | " + " | ".join(figures) + " |", "| --- |" + " --- |" * len(figures)]
        for operation in next(iter(figures.values())):
            cells = (f"{number(one[operation]['median'])} ({number(one[operation]['worst'])})" for one in figures.values())
            title = result["operations"][operation].format(result["devices"])
            lines.append(f"| {title} | " + " | ".join(cells) + " |")
        lines.append("")
    return lines


def versions():
    found = []
    for name, package in PEERS.items():
        query = ["dpkg-query", "-W", "-f", "${Package} ${db:Status-Status} ${Version}\n", package + "*"]
        output = subprocess.run(query, capture_output=True, text=True).stdout
        match = re.search(r" installed (?:\d+:)?(\d[\w.]*)", output)
        if match:
            found.append(f"{name} {match.group(1)}")
    return ", ".join(found)


def machine():
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    name = model.group(1) if model else platform.machine()
    swift = subprocess.run(["swift", "--version"], capture_output=True, text=True).stdout
    version = re.search(r"Swift version (\S+)", swift)
    return f"{os.cpu_count()} processors ({name.strip()}), Linux {platform.release().split('-')[0]}, Swift {version.group(1) if version else '?'}"


def main():
    if len(sys.argv) != 3:
        print(__doc__.strip())
        return 2
    results = [json.loads(line) for line in pathlib.Path(sys.argv[1]).read_text().splitlines() if line.startswith("{")]
    documentation = pathlib.Path(sys.argv[2])
    pictures = documentation / "benchmarks"
    pictures.mkdir(exist_ok=True)
    named = {result["name"]: result for result in results if "name" in result}
    lines = [
        "# Benchmarks", "",
        "`Scripts/benchmark report` writes this page: every program does the same work, in alternation, in one run. Compare the ratios; the "
        "times belong to one machine. [Testing.md](Testing.md#benchmarks) tells how it is measured, and has the figures of the store and of "
        "the desktop program. A ratio above 1 means that the other program needs more; in parentheses the worst round.", "",
        f"Measured on {machine()}, with {versions()}.", "",
    ]
    for key, heading, explanation in SECTIONS:
        found = [named[name] for name in named if name == key or key == "parse" and name.startswith("parse ")]
        if not found:
            continue
        lines += [f"## {heading}", "", explanation, ""]
        shown = found[0]
        file = key.replace(" ", "-") + ".svg"
        (pictures / file).write_text(bars(shown))
        what = f"{unit(shown)}, {shown['rounds']} rounds" + (" (the mix of a day)" if key == "parse" else "")
        lines += [f"![{heading}](benchmarks/{file})", "", f"In {what}{'.' if key == 'parse' else ':'}", ""]
        lines += parsing(found) if key == "parse" else table(shown)
        lines.append("")
    generations = [result for result in results if "generation" in result]
    if generations:
        lines += encryption(generations)
    if all(name in named for name, *_ in OTHERS):
        lines += others(named)
    for result in results:
        if "growth" in result:
            lines += growth(result)
    wrapped = (line if line.startswith(("|", "!")) else textwrap.fill(line, COLUMNS) for line in lines)
    (documentation / "Benchmarks.md").write_text("\n".join(wrapped).rstrip() + "\n")
    return 0


sys.exit(main())
