/// What a server offers for a login, exactly as in the stream features.
public struct SASLOffer: Sendable, Hashable {
    /// The names of the mechanisms (RFC 6120 §6.4.1, or XEP-0388 for SASL2), known and unknown.
    public var mechanisms: [String]
    /// The kinds of channel binding (XEP-0440); `nil` if the server does not list them.
    public var channelBindings: [String]?

    /// Whether a server that offers channel binding must list the kinds. It must in XEP-0388, where a missing list
    /// means that someone removed it (XEP-0440 §4).
    public var mustListChannelBindings: Bool

    public init(mechanisms: [String], channelBindings: [String]? = nil, mustListChannelBindings: Bool = false) {
        self.mechanisms = mechanisms
        self.channelBindings = channelBindings
        self.mustListChannelBindings = mustListChannelBindings
    }

    /// Whether any mechanism uses channel binding.
    var offersChannelBinding: Bool { mechanisms.contains { $0.hasSuffix("-PLUS") } }

    /// The bytes that are hashed for XEP-0474 §5.1.
    ///
    /// `nil` for the printable format if a name is malformed: with a comma in a name, two different lists could look
    /// the same. XML cannot contain the control characters of the other format.
    package func signedBytes(_ spelling: SCRAMOfferSpelling) -> [UInt8]? {
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

/// The two formats in which servers sign their offer (XEP-0474).
package enum SCRAMOfferSpelling: CaseIterable {
    /// Version 0.4 and later: `h=`, with U+001E and U+001F between the names.
    case control
    /// Version 0.3, which servers of 2024 use: `d=`, with commas and a bar.
    case printable

    var attribute: Unicode.Scalar { self == .control ? "h" : "d" }
    var betweenNames: UInt8 { self == .control ? 0x1E : UInt8(ascii: ",") }
    var betweenLists: UInt8 { self == .control ? 0x1F : UInt8(ascii: "|") }
}
