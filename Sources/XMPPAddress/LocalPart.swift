/// Preparation of local parts: the UsernameCaseMapped profile (RFC 8265 §3.3) without the eight characters that
/// RFC 7622 §3.3.1 excludes.
enum LocalPart {
    /// What IdentifierClass would allow and a local part never contains, because the characters separate addresses or
    /// stand for themselves in XML.
    private static let excluded = ASCIISet("\"&'/:<>@")

    static func prepare(_ string: String) throws(AddressError) -> String {
        guard !string.isEmpty else { throw AddressError(.local, .empty) }
        guard string.utf8.count <= JID.maximumUnpreparedPartLength else {
            throw AddressError(.local, .tooLong(octets: string.utf8.count))
        }
        // The order is that of RFC 8265 §3.3: width, class, case, normalisation, direction.
        let wide = string.unicodeScalars.map(\.widthMapped)
        try check(wide)
        var scalars = wide.lowercased()
        CanonicalComposition.compose(&scalars)
        if scalars != wide { try check(scalars) }
        guard BidiRule.allows(scalars) else { throw AddressError(.local, .mixedDirection) }
        let prepared = String(scalars)
        guard prepared.utf8.count <= JID.maximumPartLength else {
            throw AddressError(.local, .tooLong(octets: prepared.utf8.count))
        }
        return prepared
    }

    private static func check(_ scalars: [Unicode.Scalar]) throws(AddressError) {
        for (index, scalar) in scalars.enumerated() {
            if scalar.isASCII, excluded.contains(UInt8(scalar.value)) {
                throw AddressError(.local, .disallowed(scalar))
            }
            switch CodePointClass(scalar) {
            case .valid: continue
            case .contextual:
                guard ContextRule.allows(at: index, in: scalars) else {
                    throw AddressError(.local, .outOfContext(scalar))
                }
            case .freeformOnly, .disallowed: throw AddressError(.local, .disallowed(scalar))
            }
        }
    }
}
