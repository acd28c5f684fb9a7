"""proxy.py CREDENTIALS REFUSED-PORT: a proxy for tests (PrivateProxy.swift). Prints "port N", then "to KIND HOST:PORT"."""
import asyncio
import base64
import ipaddress
import sys

credentials, refused = sys.argv[1], sys.argv[2]


async def forward(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        try:
            writer.close()
        except OSError:
            pass


async def connect(kind, host, port):
    print(f"to {kind} {host}:{port}", flush=True)
    if str(port) == refused:
        return None
    try:
        target = str(ipaddress.ip_address(host))
    except ValueError:
        target = "127.0.0.1"
    try:
        return await asyncio.open_connection(target, port)
    except OSError:
        return False


async def socks(reader, writer):
    methods = await reader.readexactly((await reader.readexactly(1))[0])
    if credentials:
        if 2 not in methods:
            writer.write(b"\x05\xff")
            return None
        writer.write(b"\x05\x02")
        await reader.readexactly(1)
        name = await reader.readexactly((await reader.readexactly(1))[0])
        password = await reader.readexactly((await reader.readexactly(1))[0])
        good = (name + b":" + password).decode() == credentials
        writer.write(b"\x01\x00" if good else b"\x01\x01")
        if not good:
            return None
    else:
        writer.write(b"\x05\x00")
    _, _, _, kind = await reader.readexactly(4)
    if kind == 1:
        host = str(ipaddress.ip_address(await reader.readexactly(4)))
    elif kind == 4:
        host = str(ipaddress.ip_address(await reader.readexactly(16)))
    else:
        host = (await reader.readexactly((await reader.readexactly(1))[0])).decode()
    port = int.from_bytes(await reader.readexactly(2), "big")
    other = await connect("socks5", host, port)
    code = 0 if other else 5 if other is False else 2
    writer.write(bytes([5, code, 0, 1, 0, 0, 0, 0, 0, 0]))
    return other


async def http(first, reader, writer):
    head = first + await reader.readuntil(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    method, target, _ = lines[0].split(" ")
    fields = {line.split(":", 1)[0].lower(): line.split(":", 1)[1].strip() for line in lines[1:] if ":" in line}
    if credentials:
        wanted = "Basic " + base64.b64encode(credentials.encode()).decode()
        if fields.get("proxy-authorization") != wanted:
            writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
            return None
    if method != "CONNECT":
        writer.write(b"HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n")
        return None
    host, port = target.rsplit(":", 1)
    other = await connect("http", host.strip("[]"), int(port))
    if not other:
        writer.write(b"HTTP/1.1 403 Forbidden\r\n\r\n" if other is None else b"HTTP/1.1 502 Bad Gateway\r\n\r\n")
        return None
    writer.write(b"HTTP/1.1 200 Connection established\r\nVia: 1.1 test\r\n\r\n")
    return other


async def serve(reader, writer):
    try:
        first = await reader.readexactly(1)
        other = await socks(reader, writer) if first == b"\x05" else await http(first, reader, writer)
        await writer.drain()
        if other:
            await asyncio.gather(forward(reader, other[1]), forward(other[0], writer))
    except (asyncio.IncompleteReadError, OSError, ValueError):
        pass
    finally:
        try:
            writer.close()
        except OSError:
            pass


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print("port", server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
