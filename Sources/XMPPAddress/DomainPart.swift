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
            // Cherokee folds to capitals, which are the letters that IDNA2008 allows there.
            $0.properties.changesWhenNFKCCaseFolded
        }
        CanonicalComposition.compose(&scalars)
        for index in scalars.indices where scalars[index] == "\u{3002}" { scalars[index] = "." }
        // RFC 7622 §3.2: one final dot is not part of the name.
        if scalars.last == "." { scalars.removeLast() }
        guard !scalars.isEmpty else { throw AddressError(.domain, .empty) }

        var labels: [[Unicode.Scalar]] = []
        for raw in scalars.split(separator: ".", omittingEmptySubsequences: false) {
            labels.append(try DomainLabel.prepare(Array(raw)))
        }
        // In a name with any right-to-left label, every label has to meet the rule (RFC 5893 §2).
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
