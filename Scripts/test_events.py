"""Reads what `swift test --event-stream-output-path FILE` writes."""

import json
import pathlib


def records(files):
    """The kind and the content of each record. A file that is not there has none."""
    for file in map(pathlib.Path, files):
        for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else []:
            try:
                record = json.loads(line)
            except ValueError:  # The end of a process that crashed.
                continue
            yield record["kind"], record["payload"]


def name(test):
    """The name of a test that a record of the kind "test" describes."""
    return test.get("displayName", test["name"])
