/// What a server offers for logging in, exactly as it stood in the stream features.
public struct SASLOffer: Sendable, Hashable {
    /// The names of the mechanisms (RFC 6120 §6.4.1, or XEP-0388 where SASL2 is used), known ones and others.
    public var mechanisms: [String]
    /// The kinds of channel binding (XEP-0440), `nil` where the server does not say.
    public var channelBindings: [String]?

    /// Whether a server that offers mechanisms with channel binding must list the kinds: in XEP-0388, where a missing list
    /// means that somebody has taken it out (XEP-0440 §4).
    public var mustListChannelBindings: Bool

    public init(mechanisms: [String], channelBindings: [String]? = nil, mustListChannelBindings: Bool = false) {
        self.mechanisms = mechanisms
        self.channelBindings = channelBindings
        self.mustListChannelBindings = mustListChannelBindings
    }

    /// Whether any mechanism binds to the TLS connection.
    var offersChannelBinding: Bool { mechanisms.contains { $0.hasSuffix("-PLUS") } }

    /// The bytes that XEP-0474 §5.1 hashes.
    ///
    /// `nil` for the printable spelling where a name is not well-formed: a name with a comma in it would let two
    /// different lists look the same. The control characters of the other spelling cannot come out of XML.
    func signedBytes(_ spelling: SCRAMOfferSpelling) -> [UInt8]? {
        if spelling == .printable {
            guard mechanisms.allSatisfy(SASLMechanismName.isWellFormed),
                (channelBindings ?? []).allSatisfy({ !$0.contains(",") && !$0.contains("|") })
            else { return nil }
        }
        func list(_ names: [String]) -> [UInt8] {
            let sorted = names.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
            return Array(sorted.joined(separator: [spelling.betweenNames]))
        }
        guard let channelBindings else { return list(mechanisms) }
        return list(mechanisms) + [spelling.betweenLists] + list(channelBindings)
    }
}

/// The two ways in which servers sign their offer (XEP-0474).
enum SCRAMOfferSpelling: CaseIterable {
    /// Version 0.4 and later: `h=`, with U+001E and U+001F between the names.
    case control
    /// Version 0.3, which servers of 2024 speak: `d=`, with commas and a bar.
    case printable

    var attribute: Unicode.Scalar { self == .control ? "h" : "d" }
    var betweenNames: UInt8 { self == .control ? 0x1E : UInt8(ascii: ",") }
    var betweenLists: UInt8 { self == .control ? 0x1F : UInt8(ascii: "|") }
}
