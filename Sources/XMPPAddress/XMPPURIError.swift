/// Why a string is not an `xmpp:` URI (RFC 5122 §2.2).
public enum XMPPURIError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The scheme is another one, or there is none.
    case notXMPP
    /// Neither an account nor an address is named.
    case noAddress
    /// The account after `//` has no local part or has a resource.
    case invalidAuthority
    /// A `%` without two hexadecimal digits, or octets that are not UTF-8.
    case invalidPercentEncoding
    /// A query without a type, or a parameter without a key.
    case invalidQuery
    /// An address in the URI is not valid.
    case address(AddressError)

    /// The error as one English sentence.
    public var sentence: String {
        switch self {
        case .notXMPP: "The link does not begin with “xmpp:”."
        case .noAddress: "The link names no address."
        case .invalidAuthority: "The account to use that the link names is not of the form local@domain."
        case .invalidPercentEncoding: "The link has a percent sign that does not begin an encoded character."
        case .invalidQuery: "The link has a query that cannot be read."
        case .address(let error): error.sentence
        }
    }

    public var description: String { sentence }
}
