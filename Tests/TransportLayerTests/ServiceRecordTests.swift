import Testing

@testable import TransportLayer

struct ServiceRecordTests {
    /// A reproducible sequence (SplitMix64).
    private struct Sequence: RandomNumberGenerator {
        var state: UInt64 = 42
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return value ^ (value >> 31)
        }
    }

    private func record(_ priority: UInt16, _ weight: UInt16, _ host: String, _ kind: ServiceRecord.Kind = .startTLS)
        -> ServiceRecord
    {
        ServiceRecord(kind: kind, priority: priority, weight: weight, host: host, port: 5222)
    }

    @Test("S3-13: the lowest priority comes first, direct TLS and STARTTLS in one list (XEP-0368 §3)")
    func priorities() {
        var generator = Sequence()
        let records = [
            record(20, 1, "c"), record(5, 0, "a", .directTLS), record(10, 9, "b"), record(30, 0, "d", .directTLS),
        ]
        #expect(ServiceRecord.ordered(records, using: &generator).map(\.host) == ["a", "b", "c", "d"])
    }

    @Test("S3-13: within a priority the weights are the probabilities (RFC 2782)")
    func weights() {
        var generator = Sequence()
        let records = [record(1, 60, "a"), record(1, 30, "b"), record(1, 10, "c"), record(1, 0, "d")]
        var first: [String: Int] = [:]
        for _ in 0..<10_000 {
            let order = ServiceRecord.ordered(records, using: &generator)
            #expect(Set(order) == Set(records))
            first[order[0].host, default: 0] += 1
        }
        #expect((5700...6300).contains(first["a"] ?? 0))
        #expect((2700...3300).contains(first["b"] ?? 0))
        #expect((800...1200).contains(first["c"] ?? 0))
        #expect((1...300).contains(first["d"] ?? 0))
    }

    @Test("If all weights are 0, each record has the same probability, in whatever order DNS returns them")
    func zeroWeights() {
        var generator = Sequence()
        let records = ["a", "b", "c", "d"].map { record(1, 0, $0) }
        var places: [String: Int] = [:]
        for _ in 0..<8000 {
            let order = ServiceRecord.ordered(records, using: &generator).map(\.host)
            places[order[0], default: 0] += 1
            places[order[3] + " last", default: 0] += 1
        }
        for host in ["a", "b", "c", "d", "a last", "d last"] {
            #expect((1800...2200).contains(places[host] ?? 0), "\(host)")
        }
    }

    @Test("The second position is drawn by the weights of the remaining records (RFC 2782)")
    func secondPlace() {
        var generator = Sequence()
        let records = [record(1, 50, "a"), record(1, 40, "b"), record(1, 10, "c")]
        var second: [String: Int] = [:]
        var total = 0
        for _ in 0..<10_000 {
            let order = ServiceRecord.ordered(records, using: &generator).map(\.host)
            guard order[0] == "a" else { continue }
            total += 1
            second[order[1], default: 0] += 1
        }
        #expect((4700...5300).contains(total))
        #expect(abs(Double(second["b"] ?? 0) / Double(total) - 0.8) < 0.03)
        #expect(ServiceRecord.ordered([], using: &generator).isEmpty)
    }

    @Test("Addresses of both families alternate (RFC 8305 §4)")
    func interleaving() throws {
        let addresses = try ["::1", "::2", "::3", "10.0.0.1"].map { try Loopback.address($0, port: 1) }
        #expect(AddressRace.interleaved(addresses).map(\.address) == ["::1", "10.0.0.1", "::2", "::3"])
    }

    @Test(
        "A literal address is recognised",
        arguments: [
            ("127.0.0.1", true), ("::1", true), ("[::1]", true), ("1", false), ("127.1", false), ("xmpp.test", false),
            ("", false),
        ])
    func literals(_ text: String, _ isLiteral: Bool) {
        #expect((SocketAddress(text, port: 5222) != nil) == isLiteral)
    }
}
