extension XMPPURI {
    private static let scheme = "xmpp:"

    /// Parses a URI or IRI.
    ///
    /// Each part is split off before it is decoded, so an encoded `/` or `@` never moves the border between the parts.
    ///
    /// - Throws: ``XMPPURIError``.
    public init(_ string: String) throws(XMPPURIError) {
        guard string.utf8.count > Self.scheme.utf8.count,
            zip(string.utf8, Self.scheme.utf8).allSatisfy({ $0.asciiLowercased == $1 })
        else { throw .notXMPP }
        var rest = Substring(string.utf8.dropFirst(Self.scheme.utf8.count))
        parameters = []
        if let tail = rest.splitTail("#") { fragment = try Self.decode(tail) }
        if let query = rest.splitTail("?") { (action, parameters) = try Self.parse(query: query) }

        if rest.utf8.starts(with: "//".utf8) {
            var authority = Substring(rest.utf8.dropFirst(2))
            let path = authority.splitTail("/")
            account = try Self.account(authority)
            // "xmpp://account" and "xmpp://account/" name an account alone.
            rest = path ?? ""
        }
        if !rest.isEmpty {
            address = try Self.address(rest)
        }
        guard account != nil || address != nil else { throw .noAddress }
    }

    private static func account(_ text: Substring) throws(XMPPURIError) -> JID {
        guard text.utf8.contains(UInt8(ascii: "@")) else { throw .invalidAuthority }
        return try address(text)
    }

    private static func address(_ text: Substring) throws(XMPPURIError) -> JID {
        var domain = text
        let resource = domain.splitTail("/")
        var local: Substring?
        if let tail = domain.splitTail("@") {
            local = domain
            domain = tail
        }
        let decodedLocal = try local.map(decode)
        let decodedDomain = try decode(domain)
        let decodedResource = try resource.map(decode)
        do throws(AddressError) {
            return try JID(local: decodedLocal, domain: decodedDomain, resource: decodedResource)
        } catch {
            throw .address(error)
        }
    }

    /// `type;key=value;key=value` (RFC 5122 §2.2, iquerycomp).
    private static func parse(query: Substring) throws(XMPPURIError) -> (String, [Parameter]) {
        var fields = query.split(separator: ";", omittingEmptySubsequences: false)[...]
        guard let type = fields.popFirst(), !type.isEmpty else { throw .invalidQuery }
        var parameters: [Parameter] = []
        // A semicolon at the end is common and means nothing.
        for field in fields where !field.isEmpty {
            var key = field
            let value = key.splitTail("=") ?? ""
            guard !key.isEmpty else { throw .invalidQuery }
            parameters.append(Parameter(try decode(key), try decode(value)))
        }
        return (try decode(type), parameters)
    }

    private static func decode(_ text: Substring) throws(XMPPURIError) -> String {
        guard let decoded = PercentEncoding.decode(text) else { throw .invalidPercentEncoding }
        return decoded
    }
}

extension Substring {
    /// Cuts the text at the first separator and returns what follows it; `nil` and no cut if there is none.
    fileprivate mutating func splitTail(_ separator: Unicode.Scalar) -> Substring? {
        guard let index = utf8.firstIndex(of: UInt8(truncatingIfNeeded: separator.value)) else { return nil }
        let tail = self[utf8.index(after: index)...]
        self = self[..<index]
        return tail
    }
}
