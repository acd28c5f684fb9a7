"""The storage of a device of python-omemo, in memory; used by judge.py and by peer.py of ChatEngineTests."""

import json

from omemo.storage import Just, Nothing, Storage


class Memory(Storage):
    def __init__(self):
        super().__init__(True)
        self.values = {}

    async def _load(self, key):
        return Just(self.values[key]) if key in self.values else Nothing()

    async def _store(self, key, value):
        self.values[key] = json.loads(json.dumps(value))

    async def _delete(self, key):
        self.values.pop(key, None)
