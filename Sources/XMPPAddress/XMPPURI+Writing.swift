extension XMPPURI: CustomStringConvertible {
    /// What a local part may contain unencoded (RFC 5122 §2.2, nodeallow).
    private static let local = PercentEncoding.unreserved.union("!$()*+,;=")
    /// What a resource part may contain unencoded (RFC 5122 §2.2, resallow).
    private static let resource = PercentEncoding.unreserved.union("!$&'()*+,:;=")
    /// What a domain part may contain unencoded: the brackets and colons of an IPv6 address.
    private static let domain = PercentEncoding.unreserved.union("[:]")

    /// The URI. Parsing it gives an equal value.
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
