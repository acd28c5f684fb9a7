/// What a server offers for logging in, exactly as it stood in the stream features.
public struct SASLOffer: Sendable, Hashable {
    /// The names of the mechanisms (RFC 6120 §6.4.1, or XEP-0388 where SASL2 is used), known ones and others.
    public var mechanisms: [String]
    /// The kinds of channel binding (XEP-0440), `nil` where the server does not say.
    public var channelBindings: [String]?

    public init(mechanisms: [String], channelBindings: [String]? = nil) {
        self.mechanisms = mechanisms
        self.channelBindings = channelBindings
    }

    /// Whether any mechanism binds to the TLS connection.
    var offersChannelBinding: Bool { mechanisms.contains { $0.hasSuffix("-PLUS") } }

    /// The bytes that XEP-0474 §5.1 hashes.
    ///
    /// Servers of 2024 wrote commas and bars in place of the control characters. That spelling is only given where
    /// every name is well-formed: a name with a comma in it would let two different lists look the same.
    func signedBytes(with delimiters: SCRAMOfferDelimiters) -> [UInt8]? {
        if delimiters == .printable {
            guard mechanisms.allSatisfy(SASLMechanismName.isWellFormed),
                (channelBindings ?? []).allSatisfy({ !$0.utf8.contains { $0 == 0x2C || $0 == 0x7C } })
            else { return nil }
        }
        func list(_ names: [String]) -> [UInt8] {
            let sorted = names.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
            return Array(sorted.joined(separator: [delimiters.betweenNames]))
        }
        guard let channelBindings else { return list(mechanisms) }
        return list(mechanisms) + [delimiters.betweenLists] + list(channelBindings)
    }
}

/// The two spellings of the list that XEP-0474 signs.
enum SCRAMOfferDelimiters: CaseIterable {
    /// Version 0.4 and later: U+001E and U+001F, which cannot stand in XML.
    case control
    /// Version 0.3: a comma and a bar.
    case printable

    var betweenNames: UInt8 { self == .control ? 0x1E : UInt8(ascii: ",") }
    var betweenLists: UInt8 { self == .control ? 0x1F : UInt8(ascii: "|") }
}
