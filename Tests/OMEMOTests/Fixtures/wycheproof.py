"""Makes the files of Fixtures/wycheproof from a copy of https://github.com/C2SP/wycheproof.

Usage: wycheproof.py DIRECTORY-OF-THE-COPY

The vectors are under the Apache License 2.0. Taken are those for the parameters that OMEMO uses, at most 12 of each
combination of flags. Each line is: number, `valid`, `invalid` or `acceptable`, then hexadecimal values, `-` for an empty one.
"""

import json
import pathlib
import sys

source = pathlib.Path(sys.argv[1]) / "testvectors_v1"
target = pathlib.Path(__file__).parent / "wycheproof"
LARGEST = 12
SOURCES = {
    "x25519": ("x25519_test", ("private", "public", "shared"), lambda group, test: True),
    "ed25519": ("ed25519_test", ("pk", "msg", "sig"), lambda group, test: True),
    "hmac": ("hmac_sha256_test", ("key", "msg", "tag"), lambda group, test: group["tagSize"] == 256),
    "hkdf": ("hkdf_sha256_test", ("ikm", "salt", "info", "okm"), lambda group, test: (
        test["result"] == "valid" and test["size"] <= 256)),
    "cbc": ("aes_cbc_pkcs5_test", ("key", "iv", "msg", "ct"), lambda group, test: group["keySize"] == 256),
    "gcm": ("aes_gcm_test", ("key", "iv", "msg", "ct", "tag"), lambda group, test: (
        group["keySize"] in (128, 256) and group["ivSize"] in (96, 128) and group["tagSize"] == 128 and not test["aad"])),
}

target.mkdir(exist_ok=True)
for name, (file, values, is_wanted) in SOURCES.items():
    taken = {}
    lines = []
    for group in json.loads((source / (file + ".json")).read_text())["testGroups"]:
        public = {"pk": group["publicKey"]["pk"]} if "publicKey" in group else {}
        for test in group["tests"]:
            flags = (test["result"], *sorted(test["flags"]))
            if not is_wanted(group, test) or taken.get(flags, 0) >= LARGEST:
                continue
            taken[flags] = taken.get(flags, 0) + 1
            words = [{**test, **public}[value] or "-" for value in values]
            lines.append(" ".join([str(test["tcId"]), test["result"], *words]))
    (target / (name + ".txt")).write_text("\n".join(lines) + "\n")
