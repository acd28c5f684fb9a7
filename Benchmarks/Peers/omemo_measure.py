"""Encrypts and decrypts with Debian's twomemo or oldmemo, for Scripts/benchmark encryption.

Usage: omemo_measure.py legacy|current DEVICES MESSAGES

A session is read from its stored form before each operation and stored after it, as OMEMO's session manager does.
"""

import asyncio
import logging
import pathlib
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "Tests/OMEMOTests/Judge"))

import oldmemo
import twomemo
from memory import Memory

PLAINTEXT = b"a" * 600


class Party:
    def __init__(self, generation):
        self.module = oldmemo.oldmemo if generation == "legacy" else twomemo.twomemo
        make = oldmemo.Oldmemo if generation == "legacy" else twomemo.Twomemo
        self.backend = make(Memory())

    async def seal(self, peers):
        """A message for several devices of `bob`."""
        content, plain = await self.backend.encrypt_plaintext(PLAINTEXT)
        keys = []
        for device in peers:
            session = await self.backend.load_session("bob", device)
            keys.append((await self.backend.encrypt_key_material(session, plain)).serialize())
            await self.backend.store_session(session)
        return content, keys

    async def open(self, content, key, device):
        session = await self.backend.load_session("bob", device)
        encrypted = self.module.EncryptedKeyMaterialImpl.parse(key, "bob", device)
        plain = await self.backend.decrypt_key_material(session, encrypted)
        await self.backend.store_session(session)
        assert await self.backend.decrypt_plaintext(content, plain) == PLAINTEXT


async def connect(own, other, device):
    await other.backend.generate_pre_keys(25)
    bundle = await other.backend.get_bundle("bob", device)
    content, plain = await own.backend.encrypt_plaintext(PLAINTEXT)
    session, key = await own.backend.build_session_active("bob", device, bundle, plain)
    passive, _ = await other.backend.build_session_passive("bob", 1, session.key_exchange, key)
    await other.backend.store_session(passive)
    _, plain = await other.backend.encrypt_plaintext(PLAINTEXT)
    answer = await other.backend.encrypt_key_material(passive, plain)
    await other.backend.store_session(passive)
    await own.backend.decrypt_key_material(session, answer)
    session.confirm()
    await own.backend.store_session(session)


async def main():
    logging.disable(logging.CRITICAL)
    generation, devices, messages = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    own = Party(generation)
    others = [Party(generation) for _ in range(devices)]
    for index, other in enumerate(others):
        await connect(own, other, index + 1)

    start = time.process_time()
    sent = [await own.seal(range(1, devices + 1)) for _ in range(messages)]
    encrypt = time.process_time() - start

    start = time.process_time()
    for content, keys in sent:
        await others[0].open(content, keys[0], 1)
    decrypt = time.process_time() - start

    reply = 0
    for index in range(messages):
        sender, receiver = (own, others[0]) if index % 2 else (others[0], own)
        content, keys = await sender.seal([1])
        start = time.process_time()
        await receiver.open(content, keys[0], 1)
        reply += time.process_time() - start
    figures = (("encrypt", encrypt), ("decrypt", decrypt), ("reply", reply))
    print(" ".join(f"{name}={seconds * 1e6 / messages:.3f}" for name, seconds in figures))


asyncio.run(main())
