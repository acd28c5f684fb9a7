import Glibc
import OMEMO
import StanzaCorpus

// The measuring program of Scripts/benchmark. Each command measures one thing once and prints one line.
let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "corpus" where arguments.count == 4:
    writeCorpus(StanzaCorpus.Mix(rawValue: arguments[1]) ?? .day, to: arguments[2], stanzas: Int(arguments[3]) ?? 0)
case "mixes": print(StanzaCorpus.Mix.allCases.map(\.rawValue).joined(separator: " "))
case "parse" where arguments.count == 3 && arguments[1] == "stanzas":
    measureStanzas(of: arguments[2])
case "parse" where arguments.count == 3:
    measureParsing(arguments[1], of: arguments[2])
case "send" where arguments.dropFirst() == ["modes"]:
    print(SendMode.allCases.map(\.rawValue).joined(separator: " "))
case "send" where arguments.count == 4 && SendMode(rawValue: arguments[1]) != nil:
    do {
        try await measureSending(
            SendMode(rawValue: arguments[1]) ?? .single, port: UInt16(arguments[2]) ?? 0,
            messages: Int(arguments[3]) ?? 0)
    } catch {
        print("failed: \(error)")
        exit(1)
    }
case "store" where arguments.count == 3 || arguments.count == 4 && arguments[3] == "alone":
    do {
        try await measureStore(messages: Int(arguments[2]) ?? 0, in: arguments[1], alone: arguments.count == 4)
    } catch {
        print("failed: \(error)")
        exit(1)
    }
case "encryption" where arguments.count == 4:
    do {
        try measureEncryption(
            arguments[1] == "legacy" ? .legacy : .current, devices: Int(arguments[2]) ?? 20,
            messages: Int(arguments[3]) ?? 1_000)
    } catch {
        print("failed: \(error)")
        exit(1)
    }
case "ratchets" where arguments.count == 3:
    do {
        if try !compareRatchets(steps: Int(arguments[1]) ?? 0, seed: UInt64(arguments[2]) ?? 0) { exit(1) }
    } catch {
        print("failed: \(error)")
        exit(1)
    }
default:
    print(
        """
        usage: benchmark mixes                      the mixes of stanzas
               benchmark corpus MIX FILE STANZAS    write a stream of a mix, as long as so many stanzas of a day
               benchmark parse elements FILE        bytes to elements, the body as text
               benchmark parse fields FILE          the same, and from, to, id and type as strings
               benchmark parse stanzas FILE         bytes to Message, Presence and IQ, the body as text
               benchmark parse lookup FILE          the same, and the first child found by four names
               benchmark send MODE PORT MESSAGES    so many messages to Benchmarks/discard_server.py
               benchmark send modes                 the values of MODE
               benchmark store FOLDER MESSAGES      a store of so many messages filled, opened, read and searched,
                                                    beside Dino's and Gajim's schemas; with "alone" after it without
               benchmark encryption current|legacy DEVICES MESSAGES
                                                    messages encrypted for so many devices, and decrypted by one
               benchmark ratchets STEPS SEED        random walks with libomemo-c: what one encrypts the other decrypts
        """)
    exit(2)
}
