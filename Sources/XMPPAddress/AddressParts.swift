/// Preparation of local parts: the UsernameCaseMapped profile (RFC 8265 §3.3) without the eight characters that
/// RFC 7622 §3.3.1 excludes.
enum LocalPart {
    /// Characters that IdentifierClass allows but a local part never contains, because they separate the parts of
    /// addresses or have a meaning in XML.
    private static let excluded = ASCIISet("\"&'/:<>@")

    static func prepare(_ string: String) throws(AddressError) -> String {
        guard !string.isEmpty else { throw AddressError(.local, .empty) }
        guard string.utf8.count <= JID.maximumUnpreparedPartLength else {
            throw AddressError(.local, .tooLong(octets: string.utf8.count))
        }
        // The order follows RFC 8265 §3.3: width, class, case, normalisation, direction.
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

/// Preparation of domain parts: a name of IDNA2008 labels, an IPv4 address or an IPv6 address in brackets
/// (RFC 7622 §3.2).
enum DomainPart {
    static func prepare(_ string: String) throws(AddressError) -> String {
        guard !string.isEmpty else { throw AddressError(.domain, .empty) }
        guard string.utf8.count <= JID.maximumUnpreparedPartLength else {
            throw AddressError(.domain, .tooLong(octets: string.utf8.count))
        }
        if string.utf8.first == UInt8(ascii: "[") {
            guard string.utf8.last == UInt8(ascii: "]"), let address = IPv6Address(string.dropFirst().dropLast()) else {
                throw AddressError(.domain, .invalidIPv6Address)
            }
            return "[\(address)]"
        }
        let name = try prepareName(string)
        guard name.utf8.count <= JID.maximumPartLength else {
            throw AddressError(.domain, .tooLong(octets: name.utf8.count))
        }
        return name
    }

    private static func prepareName(_ string: String) throws(AddressError) -> String {
        // The mappings of RFC 5895 §2: width, case, normalisation, and the ideographic full stop as a dot.
        var scalars = string.unicodeScalars.map(\.widthMapped).lowercased {
            // Cherokee folds to capitals, which are the letters that IDNA2008 allows.
            $0.properties.changesWhenNFKCCaseFolded
        }
        CanonicalComposition.compose(&scalars)
        for index in scalars.indices where scalars[index] == "\u{3002}" { scalars[index] = "." }
        // RFC 7622 §3.2: one trailing dot is not part of the name.
        if scalars.last == "." { scalars.removeLast() }
        guard !scalars.isEmpty else { throw AddressError(.domain, .empty) }

        var labels: [[Unicode.Scalar]] = []
        for raw in scalars.split(separator: ".", omittingEmptySubsequences: false) {
            labels.append(try DomainLabel.prepare(Array(raw)))
        }
        // In a name with a right-to-left label, every label must satisfy the rule (RFC 5893 §2).
        if labels.contains(where: BidiRule.isRightToLeft) {
            guard labels.allSatisfy(BidiRule.holds) else { throw AddressError(.domain, .mixedDirection) }
        }
        let name = labels.map { String($0) }.joined(separator: ".")
        if labels.count == 4, labels.allSatisfy({ $0.allSatisfy { "0"..."9" ~= $0 } }), IPv4Address(name[...]) == nil {
            throw AddressError(.domain, .invalidIPv4Address)
        }
        return name
    }
}

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
        // U+0387 becomes U+00B7, which has a context rule: the result must be valid input too (RFC 8264 §7).
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
