#!/usr/bin/env python3
"""Prosody on loopback for measurements, with the accounts juliet and romeo of capulet.example, password "secret".

usage: prosody_server.py -- prints its port, the file of its authority, its port for TLS from the first byte, and the salt and
the iteration count of the accounts; it ends when its standard input is closed.
"""
import base64
import hashlib
import hmac
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

DOMAIN = "capulet.example"
SALT = "a-fixed-salt-for-the-benchmark"
ITERATIONS = 4096

CONFIGURATION = """
pidfile = "prosody.pid"
data_path = "data"
certificates = "."
log = {{ {{ levels = {{ min = "warn" }}, to = "file", filename = "prosody.log" }} }}
interfaces = {{ "127.0.0.1" }}
c2s_ports = {{ {port} }}
c2s_direct_tls_ports = {{ {direct} }}
s2s_ports = {{}}
http_ports = {{}}
https_ports = {{}}
component_ports = {{}}
run_as_root = {is_root}
local tls = {{ certificate = "server.crt", key = "server.key" }}
ssl = tls
c2s_direct_tls_ssl = tls
c2s_require_encryption = true
authentication = "internal_hashed"
storage = "internal"
-- Nagle's algorithm costs 40 ms for each small exchange on loopback.
network_settings = {{ nagle = false }}
network_backend = "epoll"
modules_enabled = {{ "roster", "saslauth", "tls", "disco", "carbons", "smacks", "ping" }}
-- A message that one program left behind would reach the next one.
modules_disabled = {{ "s2s", "limits", "offline" }}
VirtualHost "{domain}"
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def make_certificate(folder):
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]

    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.crt", "-days", "10", "-subj", "/CN=Benchmark")
    openssl("req", "-new", *key, "-keyout", "server.key", "-out", "server.csr", "-subj", f"/CN={DOMAIN}")
    (folder / "names").write_text(f"subjectAltName=DNS:{DOMAIN}\nextendedKeyUsage=serverAuth\n")
    openssl(
        *"x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 9 -extfile names".split(),
        *"-out server.crt".split(),
    )


def make_accounts(folder):
    salted = hashlib.pbkdf2_hmac("sha1", b"secret", SALT.encode(), ITERATIONS)
    stored = hashlib.sha1(hmac.new(salted, b"Client Key", "sha1").digest()).hexdigest()
    server = hmac.new(salted, b"Server Key", "sha1").hexdigest()
    accounts = folder / "data" / DOMAIN.replace(".", "%2e") / "accounts"
    accounts.mkdir(parents=True)
    for name in ("juliet", "romeo"):
        (accounts / f"{name}.dat").write_text(
            f'return {{ ["salt"] = "{SALT}"; ["iteration_count"] = {ITERATIONS}; '
            f'["stored_key"] = "{stored}"; ["server_key"] = "{server}"; }};\n'
        )


def answers(port):
    try:
        socket.create_connection(("127.0.0.1", port)).close()
        return True
    except OSError:
        return False


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="hongyan-benchmark."))
    try:
        make_certificate(folder)
        make_accounts(folder)
        port, direct = free_port(), free_port()
        settings = {"port": port, "direct": direct, "domain": DOMAIN, "is_root": str(os.geteuid() == 0).lower()}
        (folder / "prosody.cfg.lua").write_text(CONFIGURATION.format(**settings))
        server = subprocess.Popen(
            ["prosody", "-F", "--config", folder / "prosody.cfg.lua"],
            cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        )
        try:
            while not answers(port) or not answers(direct):
                if server.poll() is not None:
                    sys.exit(f"Prosody did not start:\n{(folder / 'prosody.log').read_text()}")
                time.sleep(0.05)
            print(port, folder / "ca.crt", direct, SALT, ITERATIONS, flush=True)
            sys.stdin.read()
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


main()
