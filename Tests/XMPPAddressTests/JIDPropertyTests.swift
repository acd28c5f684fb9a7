import Testing
import XMPPAddress

/// Properties of any input. The inputs are from a fixed sequence, so that a failure can be reproduced.
@Suite("JID: properties")
struct JIDPropertyTests {
    /// SplitMix64.
    struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    /// Fragments in which parsers differ.
    static let pieces = [
        "a", "B", "1", "-", ".", "@", "/", " ", "\\20", "xn--", "bcher-kva", "[::1]", ":", "\u{FC}", "u\u{308}",
        "\u{DF}",
        "\u{3A3}", "\u{130}", "\u{FF21}", "\u{FF0F}", "\u{FF20}", "\u{3002}", "\u{5D0}", "\u{627}", "\u{660}",
        "\u{6F0}",
        "\u{200C}", "\u{200D}", "\u{94D}", "\u{B7}", "\u{30FB}", "\u{212B}", "\u{1E9E}", "\u{F71}\u{F72}",
        "\u{AC00}\u{11A8}",
        "\u{1F37A}", "\u{A0}", "\u{0}", "example.com", "\u{2F868}", "\u{E0001}",
    ]

    /// Checks all guarantees of an address, independent of its input.
    static func check(_ address: JID) throws {
        let text = address.description
        #expect(try JID(text) == address, "\(text.debugDescription)")
        #expect(try JID(text).description.utf8.elementsEqual(text.utf8))
        let rebuilt = try JID(local: address.local, domain: address.domain, resource: address.resource)
        #expect(rebuilt == address)
        #expect(rebuilt.hashValue == address.hashValue)
        #expect(try JID(address.bare.description) == address.bare)
        #expect(try address.bare.with(resource: address.resource) == address)
        #expect(
            try JID(domain: address.asciiDomain.contains(":") ? address.domain : address.asciiDomain)
                == address.domainJID)
        for part in [address.local, address.domain, address.resource] {
            if let part { #expect((1...1023).contains(part.utf8.count)) }
        }
        if let local = address.local { #expect(!local.utf8.contains { "\"&'/:<>@ ".utf8.contains($0) }) }
        #expect(!address.domain.utf8.contains { "@/".utf8.contains($0) })
        #expect(try XMPPURI(XMPPURI(address).description).address == address)
    }

    @Test("Parsing a parsed address again gives the same address", arguments: 0..<4)
    func idempotence(seed: Int) throws {
        var generator = Generator(state: UInt64(seed))
        var accepted = 0
        for _ in 0..<500 {
            let count = Int.random(in: 1...7, using: &generator)
            let text = (0..<count).map { _ in Self.pieces.randomElement(using: &generator) ?? "" }.joined()
            for candidate in [text, "a@example.com/" + text, text + "@example.com", "a@" + text + ".example"] {
                guard let address = try? JID(candidate) else { continue }
                accepted += 1
                try Self.check(address)
            }
        }
        #expect(accepted > 100)
    }

    @Test("Random octets never crash and never give an address that violates a guarantee", arguments: 0..<4)
    func randomOctets(seed: Int) throws {
        var generator = Generator(state: UInt64(seed) &+ 1000)
        for _ in 0..<1500 {
            let count = Int.random(in: 0...40, using: &generator)
            let octets = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            if let address = try? octets.withUnsafeBufferPointer({ try JID(utf8: $0) }) { try Self.check(address) }
            let ascii = octets.map { $0 & 0x7F }
            let fast = try? ascii.withUnsafeBufferPointer { try JID(utf8: $0) }
            if let fast { try Self.check(fast) }
            let text = String(decoding: octets, as: UTF8.self)
            if let uri = try? XMPPURI("xmpp:" + text) { #expect(try XMPPURI(uri.description) == uri) }
            if let escaped = try? JIDEscaping.escape(text) { #expect(JIDEscaping.unescape(escaped) == text) }
        }
    }

    @Test("The fast path for ASCII and the general path agree", arguments: 0..<4)
    func asciiAgreement(seed: Int) throws {
        var generator = Generator(state: UInt64(seed) &+ 2000)
        let alphabet = Array("aBz09-.@/[:]_ \"~x".utf8)
        for _ in 0..<1500 {
            let octets = (0..<Int.random(in: 0...14, using: &generator)).compactMap { _ in
                alphabet.randomElement(using: &generator)
            }
            let text = String(decoding: octets, as: UTF8.self)
            var rest = text[...]
            var resource: String?
            if let slash = rest.firstIndex(of: "/") {
                resource = String(rest[rest.index(after: slash)...])
                rest = rest[..<slash]
            }
            var local: String?
            if let at = rest.firstIndex(of: "@") {
                local = String(rest[..<at])
                rest = rest[rest.index(after: at)...]
            }
            let long = try? JID(local: local, domain: String(rest), resource: resource)
            #expect((try? JID(text)) == long, "\(text)")
        }
    }

    @Test("Preparing a resource preserves canonical equivalence, for each code point")
    func normalisation() throws {
        let ranges: [StrideTo<UInt32>] = [
            stride(from: 0xA1, to: 0x3400, by: 3), stride(from: 0xA000, to: 0x1_0000, by: 11),
            stride(from: 0xF900, to: 0xFB60, by: 1), stride(from: 0x1_0000, to: 0x2_0000, by: 13),
            stride(from: 0x2_F800, to: 0x2_FA20, by: 1),
        ]
        for scalar in ranges.joined().lazy.compactMap({ Unicode.Scalar($0) }) {
            guard scalar.properties.generalCategory != .spaceSeparator else { continue }
            for text in [String(scalar), "a" + String(scalar), String(scalar) + "\u{323}\u{302}"] {
                guard let address = try? JID(domain: "example.com", resource: text) else { continue }
                // Swift compares strings by canonical equivalence.
                #expect(address.resource == text)
                let again = try JID(address.description)
                #expect(again.withUTF8 { Array($0) } == address.withUTF8 { Array($0) })
            }
        }
    }

    @Test("Order is total and agrees with equality")
    func order() throws {
        var generator = Generator(state: 7)
        let parts = ["a", "b", "ab", "\u{FC}"]
        var addresses: [JID] = []
        for local in [nil] + parts.map(Optional.some) {
            for resource in [nil] + parts.map(Optional.some) {
                addresses.append(try JID(local: local, domain: "x.example", resource: resource))
            }
        }
        let sorted = addresses.sorted()
        #expect(addresses.shuffled(using: &generator).sorted() == sorted)
        for (first, second) in zip(sorted, sorted.dropFirst()) {
            #expect(first < second)
            #expect(!(second < first))
            #expect(first != second)
        }
    }
}
