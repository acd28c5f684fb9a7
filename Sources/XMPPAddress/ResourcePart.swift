/// Preparation of resource parts: the OpaqueString profile (RFC 8265 §4.2, RFC 7622 §3.4.1).
enum ResourcePart {
    static func prepare(_ string: String) throws(AddressError) -> String {
        guard !string.isEmpty else { throw AddressError(.resource, .empty) }
        guard string.utf8.count <= JID.maximumUnpreparedPartLength else {
            throw AddressError(.resource, .tooLong(octets: string.utf8.count))
        }
        var scalars = Array(string.unicodeScalars)
        try check(scalars)
        for (index, scalar) in scalars.enumerated() where scalar.properties.generalCategory == .spaceSeparator {
            scalars[index] = " "
        }
        let mapped = scalars
        CanonicalComposition.compose(&scalars)
        // U+0387 becomes U+00B7, which has a context rule: what is accepted has to be accepted again (RFC 8264 §7).
        if scalars != mapped { try check(scalars) }
        let prepared = String(scalars)
        guard prepared.utf8.count <= JID.maximumPartLength else {
            throw AddressError(.resource, .tooLong(octets: prepared.utf8.count))
        }
        return prepared
    }

    private static func check(_ scalars: [Unicode.Scalar]) throws(AddressError) {
        for (index, scalar) in scalars.enumerated() {
            switch CodePointClass(scalar) {
            case .valid, .freeformOnly: continue
            case .contextual:
                guard ContextRule.allows(at: index, in: scalars) else {
                    throw AddressError(.resource, .outOfContext(scalar))
                }
            case .disallowed: throw AddressError(.resource, .disallowed(scalar))
            }
        }
    }
}

extension String {
    init(_ scalars: some Sequence<Unicode.Scalar>) {
        var view = UnicodeScalarView()
        view.append(contentsOf: scalars)
        self.init(view)
    }
}
