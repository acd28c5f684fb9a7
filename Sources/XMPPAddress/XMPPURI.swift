/// An `xmpp:` URI (RFC 5122, XEP-0147): an address, optionally with an action.
///
///     xmpp:romeo@montague.net?message;subject=Test%20Message
///     xmpp://guest@example.com/support@example.com?message
///
/// Both URIs and IRIs are read; the written form is a URI, in ASCII.
public struct XMPPURI: Hashable, Sendable {
    /// One `key=value` of a query.
    public struct Parameter: Hashable, Sendable {
        /// The name of the parameter.
        public var key: String
        /// The value, decoded.
        public var value: String

        /// A parameter of a query.
        public init(_ key: String, _ value: String) {
            self.key = key
            self.value = value
        }
    }

    /// The account to use, from the form `xmpp://account/address`; `nil` means the account that is signed in (RFC 5122
    /// §2.3).
    public var account: JID?
    /// The address of the URI; `nil` if it names only an account.
    public var address: JID?
    /// The action, such as `message`, `join` or `subscribe`: the query type (XEP-0147 §3). Ignore unknown actions (RFC
    /// 5122 §2.5).
    public var action: String?
    /// The details of the action, in order; keys may repeat.
    public var parameters: [Parameter]
    /// The decoded text after `#`.
    public var fragment: String?

    /// Creates a URI for an address.
    public init(_ address: JID, action: String? = nil, parameters: [Parameter] = []) {
        self.address = address
        self.action = action
        self.parameters = parameters
    }

    /// The first value of a parameter.
    public subscript(_ key: String) -> String? {
        parameters.first { $0.key == key }?.value
    }
}

extension XMPPURI {
    private static let scheme = "xmpp:"

    /// Parses a URI or IRI.
    ///
    /// Each part is split off before it is decoded, so an encoded `/` or `@` never moves a boundary between parts.
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
            // "xmpp://account" and "xmpp://account/" name only an account.
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
        // A trailing semicolon is common and has no meaning.
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
    /// Truncates the text at the first separator and returns what follows it; returns `nil` and leaves the text if
    /// there is none.
    fileprivate mutating func splitTail(_ separator: Unicode.Scalar) -> Substring? {
        guard let index = utf8.firstIndex(of: UInt8(truncatingIfNeeded: separator.value)) else { return nil }
        let tail = self[utf8.index(after: index)...]
        self = self[..<index]
        return tail
    }
}

extension XMPPURI: CustomStringConvertible {
    /// The characters of a local part that need no encoding (RFC 5122 §2.2, nodeallow).
    private static let local = PercentEncoding.unreserved.union("!$()*+,;=")
    /// The characters of a resource part that need no encoding (RFC 5122 §2.2, resallow).
    private static let resource = PercentEncoding.unreserved.union("!$&'()*+,:;=")
    /// The characters of a domain part that need no encoding, including the brackets and colons of an IPv6 address.
    private static let domain = PercentEncoding.unreserved.union("[:]")

    /// The URI as text. Parsing it gives an equal value.
    public var description: String {
        var result = "xmpp:"
        if let account {
            result += "//" + Self.path(account.bare)
            if address != nil { result += "/" }
        }
        if let address { result += Self.path(address) }
        if let action {
            result += "?" + PercentEncoding.encode(action, allowing: PercentEncoding.unreserved)
            for parameter in parameters {
                result += ";" + PercentEncoding.encode(parameter.key, allowing: PercentEncoding.unreserved)
                result += "=" + PercentEncoding.encode(parameter.value, allowing: PercentEncoding.unreserved)
            }
        }
        if let fragment {
            result += "#" + PercentEncoding.encode(fragment, allowing: PercentEncoding.unreserved)
        }
        return result
    }

    private static func path(_ address: JID) -> String {
        var result = ""
        if let local = address.local { result += PercentEncoding.encode(local, allowing: Self.local) + "@" }
        result += PercentEncoding.encode(address.domain, allowing: domain)
        if let resource = address.resource {
            result += "/" + PercentEncoding.encode(resource, allowing: Self.resource)
        }
        return result
    }
}

/// Why a string is not an `xmpp:` URI (RFC 5122 §2.2).
public enum XMPPURIError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The scheme is missing or not `xmpp`.
    case notXMPP
    /// The URI names neither an account nor an address.
    case noAddress
    /// The account after `//` has no local part or has a resource.
    case invalidAuthority
    /// A `%` without two hexadecimal digits, or octets that are not UTF-8.
    case invalidPercentEncoding
    /// A query without a type, or a parameter without a key.
    case invalidQuery
    /// An address in the URI is not valid.
    case address(AddressError)

    /// A description of the error in English.
    public var message: String {
        switch self {
        case .notXMPP: "The link does not begin with “xmpp:”."
        case .noAddress: "The link names no address."
        case .invalidAuthority: "The account in the link is not of the form local@domain."
        case .invalidPercentEncoding: "The link has a percent sign that does not start an encoded character."
        case .invalidQuery: "The link has a query that cannot be read."
        case .address(let error): error.message
        }
    }

    public var description: String { message }
}
