extension JID {
    /// What a domain part is, which decides how a server is found and how its certificate is read.
    public enum DomainKind: Hashable, Sendable {
        /// A domain name, to be looked up in DNS (RFC 6120 §3.2).
        case name
        /// An IPv4 address: connect to it as it is.
        case ipv4Address
        /// An IPv6 address: connect to it as it is.
        case ipv6Address
    }

    /// What the domain part is.
    public var domainKind: DomainKind {
        let domain = domain
        if domain.utf8.first == UInt8(ascii: "[") { return .ipv6Address }
        return IPv4Address(domain[...]) == nil ? .name : .ipv4Address
    }

    /// The domain part for DNS and TLS: U-labels as A-labels, an IPv6 address without its brackets (RFC 5890 §2.3.2.1).
    ///
    /// `bücher.example` gives `xn--bcher-kva.example`, `[::1]` gives `::1`.
    public var asciiDomain: String {
        let domain = domain
        if domain.utf8.first == UInt8(ascii: "[") { return String(domain.dropFirst().dropLast()) }
        if domain.utf8.allSatisfy({ $0 < 0x80 }) { return domain }
        return domain.unicodeScalars.split(separator: ".").map { String(DomainLabel.ascii(Array($0))) }
            .joined(separator: ".")
    }
}
