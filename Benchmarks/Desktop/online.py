"""Measures the desktop program while it is online and idle.

    online.py FOLDER PROGRAMS [SECONDS]

Uses a private server and an account with ten contacts and one room; the window is open without input. The kernel's statistics of
the threads are read twice, SECONDS (default 60) apart: how often they were scheduled, and for how long. PROGRAMS is the folder with hongyan, hongyan-desktop and desktop-benchmark.
"""
import os
import pathlib
import secrets
import subprocess
import sys
import time

CONTACTS = 10
# The time in seconds after which the effects of the login, the blinking cursor and idle threads have ended.
SETTLING = 30
TIMEOUT = 60


def counts(pid):
    """For each thread, how often it was scheduled, and for how many milliseconds."""
    threads = {}
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            nanoseconds, _, times = (int(part) for part in (task / "schedstat").read_text().split())
            threads[task.name] = (times, nanoseconds / 1e6)
        except FileNotFoundError:
            continue
    return threads


def start_server(state):
    process = subprocess.Popen(
        ["Scripts/private-server"], env=dict(os.environ, XDG_STATE_HOME=str(state)), stdout=subprocess.PIPE, text=True,
        start_new_session=True)
    facts = {}
    for line in process.stdout:
        if line.strip() == "ready":
            return process, facts
        name, _, value = line.strip().partition("=")
        facts[name] = value
    raise SystemExit("online.py: the private server does not start")


def measure(folder, programs, seconds):
    for part in ("config", "profile", "state"):
        (folder / "online" / part).mkdir(parents=True, exist_ok=True)
    folder = folder / "online"
    password = folder / "password"
    password.write_text(secrets.token_hex(9))
    server, facts = start_server(folder / "state")
    environment = dict(
        os.environ, HONGYAN_PROFILE=str(folder / "profile"), XDG_CONFIG_HOME=str(folder / "config"),
        XDG_STATE_HOME=str(folder / "state"), XMPP_HOST=facts["host"], XMPP_PORT=facts["port"], XMPP_CA=facts["authority"])
    window = None
    try:
        account = f"juliet@{facts['domain']}"
        sign_in = [
            "--jid", account, "--password-file", password, "--host", facts["host"], "--port", facts["port"], "--ca",
            facts["authority"]]
        for command in (
                ["hongyan", "register", *sign_in], ["hongyan", "login", *sign_in],
                ["desktop-benchmark", "online", account, password, str(CONTACTS)]):
            subprocess.run(
                [programs / command[0], *command[1:]], env=environment, check=True, timeout=TIMEOUT,
                stdout=subprocess.DEVNULL, stderr=open(folder / "log", "ab"))
        window = subprocess.Popen(
            [programs / "hongyan-desktop"], env=environment, stdin=subprocess.DEVNULL, stdout=open(folder / "log", "ab"),
            stderr=subprocess.STDOUT)
        time.sleep(SETTLING)
        if os.environ.get("HONGYAN_PICTURES"):
            subprocess.run(["import", "-window", "root", f"{os.environ['HONGYAN_PICTURES']}/online.png"], check=True)
        before = counts(window.pid)
        time.sleep(seconds)
        after = counts(window.pid)
    finally:
        for process in (window, server):
            if process:
                process.terminate()
                process.wait()
        subprocess.run(["Scripts/private-server", "--await-end"], env=environment, check=False)
    return [
        sum(value[index] - before.get(thread, (0, 0))[index] for thread, value in after.items()) for index in (0, 1)]


def main():
    seconds = int(sys.argv[3]) if len(sys.argv) > 3 else 60
    times, milliseconds = measure(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), seconds)
    print(f"Online with {CONTACTS} contacts and a room, nothing happens for {seconds} s: its threads were woken {times} times,"
          f" {milliseconds:.1f} ms of the processor")


main()
