internal import DataForms

/// How to reach those who run a server (XEP-0157 Contact Addresses for XMPP Services).
///
/// All values are URIs such as `mailto:`, `xmpp:` or `https:`, written by the server. Show them before opening them.
public struct ContactAddresses: Sendable, Hashable {
    public var abuse: [String] = []
    public var administrators: [String] = []
    public var feedback: [String] = []
    public var sales: [String] = []
    public var security: [String] = []
    /// Where the state of the service is shown.
    public var status: [String] = []
    public var support: [String] = []

    public init() {}

    public var isEmpty: Bool { self == ContactAddresses() }

    /// The maximum number of addresses for one purpose.
    fileprivate static let limit = 16
    /// The maximum length of an address, in bytes.
    fileprivate static let lengthLimit = 1024
    fileprivate static let formType = "http://jabber.org/network/serverinfo"

    fileprivate static let fields: [(String, any WritableKeyPath<ContactAddresses, [String]> & Sendable)] = [
        ("abuse-addresses", \.abuse), ("admin-addresses", \.administrators), ("feedback-addresses", \.feedback),
        ("sales-addresses", \.sales), ("security-addresses", \.security), ("status-addresses", \.status),
        ("support-addresses", \.support),
    ]
}

extension DiscoveryInformation {
    /// The contact addresses of a server.
    public var contactAddresses: ContactAddresses {
        var addresses = ContactAddresses()
        guard let form = forms.first(where: { $0.formType == ContactAddresses.formType }) else { return addresses }
        for (field, path) in ContactAddresses.fields {
            let values = form[field]?.values ?? []
            addresses[keyPath: path] = Array(
                values.filter { $0.contains(":") && $0.utf8.count <= ContactAddresses.lengthLimit }
                    .prefix(ContactAddresses.limit))
        }
        return addresses
    }
}
