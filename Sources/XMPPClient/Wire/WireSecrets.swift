/// Which parts of the XML of a connection are secrets: they allow to log in, join or upload.
///
/// * the messages of SASL and SASL2, and tokens (RFC 6120 §6, XEP-0388, XEP-0484);
/// * everything that a registration contains, and the login of XEP-0078 (`jabber:iq:register`, `jabber:iq:auth`);
/// * elements and attributes that are called password, secret or token: those of rooms (XEP-0045, XEP-0249, XEP-0402), of
///   components (XEP-0114), of other services (XEP-0215) and of invitations (XEP-0379, XEP-0445);
/// * private fields of forms, and those whose name says that they are secret (XEP-0004, XEP-0133);
/// * where and with which credentials a file is uploaded (XEP-0363), and keys of encrypted files (XEP-0448).
enum WireSecrets {
    typealias Name = (namespace: String, local: String)

    static let streams = "http://etherx.jabber.org/streams"

    /// Namespaces in which every text and most attributes are secret.
    private static let loginNamespaces = [
        "urn:ietf:params:xml:ns:xmpp-sasl", "urn:xmpp:sasl:2", "urn:xmpp:fast:0", "urn:xmpp:scram-upgrade:0",
        "urn:xmpp:sasl:upgrade:0", "urn:xmpp:isr:0",
    ]
    /// What is shown in them.
    private static let openElements: Set<String> = ["mechanism", "text", "software", "device"]
    private static let openAttributes: Set<String> = ["mechanism", "fast", "tls-0rtt", "count", "expiry", "type"]

    private static let registrations: Set<String> = ["jabber:iq:register", "jabber:iq:auth"]
    private static let words = ["password", "passwd", "secret", "token", "credential", "preauth", "pre-auth"]
    private static let elements: Set<String> = ["handshake", "digest", "pass"]
    private static let upload = "urn:xmpp:http:upload:0"
    private static let encryptedFile = "urn:xmpp:esfs:0"

    private static func names(_ text: String) -> Bool {
        let name = text.lowercased()
        return words.contains { name.contains($0) } || elements.contains(name)
    }

    /// Whether the text of an element is a secret.
    static func hidesText(_ name: Name) -> Bool {
        if loginNamespaces.contains(name.namespace) { return !openElements.contains(name.local) }
        if name.namespace == upload, name.local == "header" { return true }
        if name.namespace == encryptedFile, name.local == "key" || name.local == "iv" { return true }
        return names(name.local)
    }

    /// Whether the texts of all elements inside of an element are.
    static func hidesContent(_ name: Name, attributes: [(name: String, value: String)]) -> Bool {
        if registrations.contains(name.namespace), name.local == "query" { return true }
        guard name.local == "field" else { return names(name.local) }
        return attributes.contains { attribute in
            attribute.name == "type" && attribute.value == "text-private"
                || attribute.name == "var" && names(attribute.value)
        }
    }

    /// Whether the value of an attribute is.
    static func hides(attribute: String, of name: Name) -> Bool {
        if attribute == "xmlns" || attribute.hasPrefix("xmlns:") { return false }
        if loginNamespaces.contains(name.namespace) { return !openAttributes.contains(attribute) }
        if name.namespace == upload, name.local == "put" { return true }
        return names(attribute)
    }
}

/// The tag with which an element begins.
struct WireTag {
    let name: String
    /// The values as they are written, with references.
    let attributes: [(name: String, value: String)]
    let isEmpty: Bool

    /// - Parameter bytes: from `<` to `>`.
    init?(_ bytes: [UInt8]) {
        var content = bytes.dropFirst().dropLast()
        isEmpty = content.last == UInt8(ascii: "/")
        if isEmpty { content = content.dropLast() }
        func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
        let name = content.prefix { !isSpace($0) }
        guard !name.isEmpty, !name.contains(where: { [0x3C, 0x22, 0x27, 0x3D].contains($0) }) else { return nil }
        self.name = String(decoding: name, as: UTF8.self)
        content = content.dropFirst(name.count)
        var attributes: [(name: String, value: String)] = []
        while true {
            content = content.drop(while: isSpace)
            guard !content.isEmpty else { break }
            let key = content.prefix { $0 != UInt8(ascii: "=") && !isSpace($0) }
            content = content.dropFirst(key.count).drop(while: isSpace)
            guard !key.isEmpty, content.popFirst() == UInt8(ascii: "=") else { return nil }
            content = content.drop(while: isSpace)
            guard let quote = content.popFirst(), quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") else {
                return nil
            }
            let value = content.prefix { $0 != quote }
            content = content.dropFirst(value.count)
            guard content.popFirst() != nil else { return nil }
            attributes.append((String(decoding: key, as: UTF8.self), String(decoding: value, as: UTF8.self)))
        }
        self.attributes = attributes
    }

    /// The namespaces of prefixes inside of the element.
    func namespaces(in parent: OpenElement?) -> [String: String] {
        var result = parent?.namespaces ?? [:]
        for (name, value) in attributes {
            if name == "xmlns" { result[""] = value }
            if name.hasPrefix("xmlns:") { result[String(name.dropFirst(6))] = value }
        }
        return result
    }

    func name(in namespaces: [String: String]) -> WireSecrets.Name {
        guard let colon = name.firstIndex(of: ":") else { return (namespaces[""] ?? "", name) }
        return (namespaces[String(name[..<colon])] ?? "", String(name[name.index(after: colon)...]))
    }

    func isStreamRoot(in parent: OpenElement?) -> Bool {
        let name = name(in: namespaces(in: parent))
        return name.local == "stream" && name.namespace == WireSecrets.streams
    }

    /// The tag with secret values masked.
    func masked(_ element: OpenElement) -> [UInt8] {
        let full = name(in: element.namespaces)
        var text = "<" + name
        for (name, value) in attributes {
            let isHidden = WireSecrets.hides(attribute: name, of: full)
            // The value has one kind of quote inside at most, because the other one encloses it.
            let quote = value.contains("'") ? "\"" : "'"
            text += " \(name)=\(quote)\(isHidden ? "…" : value)\(quote)"
        }
        return Array((text + (isEmpty ? "/>" : ">")).utf8)
    }
}
