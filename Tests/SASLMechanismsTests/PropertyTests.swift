import SASLMechanisms
import ServerSide
import Testing

/// A generator with the same numbers in every run, so that a failure can be reproduced (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

@Suite("SASL, arbitrary bytes")
struct PropertyTests {
    /// Fast and deliberately insecure: the tests are about parsing, not cryptography.
    static let digest = SASLDigest(
        .sha1, hashValue: { Array($0.prefix(20)) + [UInt8](repeating: 0, count: 20 - min(20, $0.count)) },
        hmac: { _, message in [UInt8](repeating: UInt8(truncatingIfNeeded: message.count), count: 20) },
        pbkdf2: { _, _, _ in [UInt8](repeating: 7, count: 20) })

    private func noise(_ generator: inout SeededGenerator) -> [UInt8] {
        let alphabet = Array("rsivemnpch=,,==0149A+/Zclient")
        return (0..<Int.random(in: 0..<60, using: &generator)).map { _ in
            Bool.random(using: &generator)
                ? alphabet.randomElement(using: &generator) ?? 0 : UInt8.random(in: 0...255, using: &generator)
        }
    }

    private func mutated(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 0...3, using: &generator) where !bytes.isEmpty {
            let index = bytes.indices.randomElement(using: &generator) ?? 0
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes.remove(at: index)
            case 2: bytes.insert(bytes[index], at: index)
            default: bytes.removeSubrange(index...)
            }
        }
        return bytes
    }

    @Test("no message of a server crashes a client, or succeeds without its signature", arguments: 0..<8)
    func clients(seed: UInt64) {
        var generator = SeededGenerator(state: seed)
        for _ in 0..<1000 {
            var client = SCRAMClient(
                credentials: .pencil, digest: Self.digest, nonce: "client",
                offer: SASLOffer(mechanisms: ["SCRAM-SHA-1"]))
            do {
                _ = try client.start()
                let honest = Array("r=clientserver,s=QSXCR+Q6sek8bf92,i=4096,x=1")
                let first = Bool.random(using: &generator) ? mutated(honest, &generator) : noise(&generator)
                _ = try client.respond(to: first)
                let last = Bool.random(using: &generator) ? mutated(Array("v=AAAA"), &generator) : noise(&generator)
                if Bool.random(using: &generator) { _ = try client.respond(to: last) }
                try client.succeed(with: last)
                Issue.record("A success without a signature, seed \(seed).")
            } catch {
                #expect(client.reusableKeys == nil)
            }
        }
    }

    @Test("no message of a client crashes a server or logs it in", arguments: 0..<8)
    func servers(seed: UInt64) {
        var generator = SeededGenerator(state: seed &+ 1000)
        let keys = SCRAMServerKeys(
            hash: .sha1, salt: [1], iterations: 4096, storedKey: [UInt8](repeating: 9, count: 20),
            serverKey: [UInt8](repeating: 8, count: 20))
        for _ in 0..<1000 {
            var server = SCRAMServer(
                configuration: .init(digest: Self.digest, nonce: "server", signsInChallenge: true)
            ) { _ in keys }
            let honest = ["n,,n=user,r=client", "c=biws,r=clientserver,p=AAAAAAAAAAAAAAAAAAAAAAAAAAA=", ""]
            for message in honest {
                let bytes =
                    Int.random(in: 0..<4, using: &generator) == 0
                    ? noise(&generator) : mutated(Array(message), &generator)
                if case .success = server.messageReceived(bytes) { Issue.record("Logged in by noise, seed \(seed).") }
            }
            var plain = PlainServer(isEncrypted: true) { _, _ in false }
            if case .success = plain.messageReceived(noise(&generator)) { Issue.record("Logged in by noise.") }
            var external = ExternalServer(identities: ["a@x"])
            _ = external.messageReceived(noise(&generator))
        }
    }

    @Test("every name is transferred correctly", arguments: 0..<4)
    func names(seed: UInt64) throws {
        var generator = SeededGenerator(state: seed)
        let alphabet: [Character] = ["a", "=", ",", "2", "C", "3", "D", "é", "日", "\u{1F426}"]
        for _ in 0..<200 {
            let name = String((0..<12).compactMap { _ in alphabet.randomElement(using: &generator) })
            let keys = SCRAMServerKeys(hash: .sha1, salt: [1], iterations: 4096, storedKey: [], serverKey: [])
            var server = SCRAMServer(configuration: .init(digest: Self.digest, nonce: "server")) {
                $0 == name ? keys : nil
            }
            var client = SCRAMClient(
                credentials: SASLCredentials(username: name, password: "x"), digest: Self.digest, nonce: "client")
            guard case .challenge = server.messageReceived(try client.start()) else {
                Issue.record("The name \(name) was not read.")
                return
            }
        }
    }
}
