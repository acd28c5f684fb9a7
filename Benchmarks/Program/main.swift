import Glibc
import OMEMO
import StanzaCorpus

// The measuring program of Scripts/benchmark. Each command measures one thing once and prints one line.

/// Does the work of a command; its failure is the result of the program.
private func finish(_ work: () async throws -> Void) async {
    do {
        try await work()
    } catch {
        print("failed: \(error)")
        exit(1)
    }
}

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "corpus" where arguments.count == 4:
    writeCorpus(StanzaCorpus.Mix(rawValue: arguments[1]) ?? .day, to: arguments[2], stanzas: Int(arguments[3]) ?? 0)
case "stanzas" where arguments.count == 4:
    writeStanzas(StanzaCorpus.Mix(rawValue: arguments[1]) ?? .day, to: arguments[2], count: Int(arguments[3]) ?? 0)
case "mixes": print(StanzaCorpus.Mix.allCases.map(\.rawValue).joined(separator: " "))
case "parse" where arguments.count == 3 && arguments[1] == "stanzas":
    measureStanzas(of: arguments[2])
case "parse" where arguments.count == 3:
    measureParsing(arguments[1], of: arguments[2])
case "send" where arguments.dropFirst() == ["modes"]:
    print(SendMode.allCases.map(\.rawValue).joined(separator: " "))
case "send" where arguments.count == 4 && SendMode(rawValue: arguments[1]) != nil:
    await finish {
        try await measureSending(
            SendMode(rawValue: arguments[1]) ?? .single, port: UInt16(arguments[2]) ?? 0,
            messages: Int(arguments[3]) ?? 0)
    }
case "receive" where arguments.dropFirst() == ["modes"]:
    print(ReceiveMode.allCases.map(\.rawValue).joined(separator: " "))
case "receive" where arguments.count == 4 && ReceiveMode(rawValue: arguments[1]) != nil:
    await finish {
        try await measureReceiving(
            ReceiveMode(rawValue: arguments[1]) ?? .handler, port: UInt16(arguments[2]) ?? 0,
            stanzas: Int(arguments[3]) ?? 0)
    }
case "pingpong" where arguments.dropFirst() == ["modes"]:
    print(PingPongMode.allCases.map(\.rawValue).joined(separator: " "))
case "pingpong" where arguments.count == 6 && PingPongMode(rawValue: arguments[1]) != nil:
    await finish {
        try await measurePingPong(
            PingPongMode(rawValue: arguments[1]) ?? .handler,
            server: BenchmarkServer(port: UInt16(arguments[2]) ?? 0, authority: arguments[3]),
            messages: Int(arguments[4]) ?? 0, outstanding: Int(arguments[5]) ?? 1)
    }
case "idle" where (4...5).contains(arguments.count):
    await finish {
        try await measureIdle(
            server: BenchmarkServer(
                port: UInt16(arguments[1]) ?? 0, authority: arguments.count == 5 ? arguments[4] : nil),
            sessions: Int(arguments[2]) ?? 0, width: Int(arguments[3]) ?? 1)
    }
case "login" where arguments.dropFirst() == ["modes"]:
    print(LoginMode.allCases.map(\.rawValue).joined(separator: " "))
case "login" where arguments.count == 8 && LoginMode(rawValue: arguments[1]) != nil:
    await finish {
        try await measureLogin(
            LoginMode(rawValue: arguments[1]) ?? .first,
            server: BenchmarkServer(port: UInt16(arguments[2]) ?? 0, authority: arguments[3]),
            directPort: UInt16(arguments[4]) ?? 0, salt: arguments[5], iterations: Int(arguments[6]) ?? 0,
            logins: Int(arguments[7]) ?? 1)
    }
case "growth" where arguments.count == 5 && GrowthKind(rawValue: arguments[1]) != nil:
    await finish {
        try await measureGrowth(
            GrowthKind(rawValue: arguments[1]) ?? .contacts, port: UInt16(arguments[2]) ?? 0,
            count: Int(arguments[3]) ?? 0, folder: arguments[4])
    }
case "store" where arguments.count == 3 || arguments.count == 4 && arguments[3] == "alone":
    do {
        try await measureStore(messages: Int(arguments[2]) ?? 0, in: arguments[1], alone: arguments.count == 4)
    } catch {
        print("failed: \(error)")
        exit(1)
    }
case "insert" where arguments.count == 3:
    await finish { try await insertMessages(Int(arguments[2]) ?? 0, in: arguments[1]) }
case "live" where arguments.count == 5:
    await finish {
        try await measureLive(
            arguments[1], messages: Int(arguments[3]) ?? 0, live: Int(arguments[4]) ?? 0, in: arguments[2])
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
               benchmark stanzas MIX FILE STANZAS   write so many stanzas of a mix
               benchmark parse elements FILE        bytes to elements, the body as text
               benchmark parse fields FILE          the same, and from, to, id and type as strings
               benchmark parse stanzas FILE         bytes to Message, Presence and IQ, the body as text
               benchmark parse lookup FILE          the same, and the first child found by four names
               benchmark send MODE PORT MESSAGES    so many messages to Benchmarks/loopback_server.py
               benchmark receive MODE PORT STANZAS  so many stanzas from Benchmarks/loopback_server.py
               benchmark pingpong MODE PORT AUTHORITY MESSAGES OUTSTANDING
                                                    so many messages there and back through Prosody
               benchmark idle PORT SESSIONS WIDTH [AUTHORITY]
                                                    the memory of so many sessions, some logging in at the same time
               benchmark login MODE PORT AUTHORITY DIRECTPORT SALT ITERATIONS LOGINS
                                                    so many logins at Prosody
               benchmark send|receive|pingpong|login modes
                                                    the values of MODE
               benchmark growth KIND PORT COUNT FOLDER
                                                    the cost of one of so many contacts, occupants, archive,
                                                    unacknowledged or stored, at Benchmarks/growth_server.py
               benchmark store FOLDER MESSAGES      a store of so many messages filled, opened, read and searched,
                                                    beside Dino's and Gajim's schemas; with "alone" after it without
               benchmark insert FOLDER MESSAGES     a store filled with so many messages
               benchmark live hongyan|dino|gajim FOLDER MESSAGES LIVE
                                                    so many messages stored as they come, in a store of MESSAGES
               benchmark encryption current|legacy DEVICES MESSAGES
                                                    messages encrypted for so many devices, and decrypted by one
               benchmark ratchets STEPS SEED        random walks with libomemo-c: what one encrypts the other decrypts
        """)
    exit(2)
}
