/// XEP-0147, RFC 5122: an `xmpp:` URI, which names an address and may say what to do with it.
///
///     xmpp:romeo@montague.net?message;subject=Test%20Message
///     xmpp://guest@example.com/support@example.com?message
///
/// Both URIs and IRIs are read; what is written is a URI, in ASCII.
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

    /// The account to act as, from the form `xmpp://account/address`; `nil` means the one that is signed in
    /// (RFC 5122 §2.3).
    public var account: JID?
    /// The address that the URI is about; `nil` if it names an account alone.
    public var address: JID?
    /// What to do, such as `message`, `join` or `subscribe`: the query type (XEP-0147 §3). Unknown ones are to be
    /// ignored (RFC 5122 §2.5).
    public var action: String?
    /// The details of the action, in order; keys may repeat.
    public var parameters: [Parameter]
    /// What follows `#`, decoded.
    public var fragment: String?

    /// A URI about an address.
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
