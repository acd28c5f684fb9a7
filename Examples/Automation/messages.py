#!/usr/bin/env python3
"""Writes each received message into a database, exactly once, however often this program is killed.

The cursor is stored in the transaction of the effect. Usage: messages.py DATABASE [PROFILE]
Something must serve the profile: `hongyan serve --socket`, or any program of Hongyan that is open.
"""
import json, os, socket, sqlite3, sys

profile = sys.argv[2] if len(sys.argv) > 2 else os.environ.get("HONGYAN_PROFILE") or os.path.expanduser("~/.local/share/hongyan")
store = sqlite3.connect(sys.argv[1])
store.execute("PRAGMA journal_mode = WAL")
store.execute("CREATE TABLE IF NOT EXISTS messages (id INTEGER, sender TEXT, body TEXT)")
store.execute("CREATE TABLE IF NOT EXISTS cursor (reader TEXT PRIMARY KEY, value TEXT)")

connection = socket.socket(socket.AF_UNIX)
connection.connect(profile + "/run/program.socket")
lines = connection.makefile("r", encoding="utf-8", newline="\n")

def send(method, request=None, **params):
    call = {"jsonrpc": "2.0", "method": method, "params": params}
    connection.sendall(json.dumps(call if request is None else {**call, "id": request}).encode() + b"\n")

known = store.execute("SELECT value FROM cursor").fetchone()
send("events.subscribe", request=1, reader="messages", after=known[0] if known else None)
for line in lines:
    answer = json.loads(line)
    if "error" in answer:
        sys.exit(answer["error"]["message"])
    if answer.get("method") != "event":
        continue
    cursor, event = answer["params"]["cursor"], answer["params"]["event"]
    with store:
        if event["type"] == "message" and not event["message"]["mine"] and not event.get("old"):
            message = event["message"]
            store.execute("INSERT INTO messages VALUES (?, ?, ?)", (message["id"], message["from"], message["body"]))
        store.execute("INSERT OR REPLACE INTO cursor VALUES ('messages', ?)", (cursor,))
    send("events.acknowledge", reader="messages", cursor=cursor)
