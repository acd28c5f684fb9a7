import COpenSSL

/// A name in the subjectAltName of a certificate.
enum CertificateName: Hashable {
    case dns(String)
    case address(String)
    /// SRVName, RFC 4985: `_xmpp-client.domain`.
    case service(String)
    /// id-on-xmppAddr, RFC 6120 §13.7.1.4.
    case xmppAddress(String)

    var text: String {
        switch self {
        case .dns(let name), .address(let name), .service(let name), .xmppAddress(let name): name
        }
    }
}

extension Certificate {
    /// The names of the subjectAltName. The common name does not count: RFC 9525 §2 has abolished it.
    var names: [CertificateName] {
        guard let extensionValue = X509_get_ext_d2i(pointer, NID_subject_alt_name, nil, nil) else { return [] }
        let stack = OpaquePointer(extensionValue)
        defer { GENERAL_NAMES_free(stack) }
        return (0..<max(0, OPENSSL_sk_num(stack))).compactMap {
            guard let entry = OPENSSL_sk_value(stack, $0) else { return nil }
            return Self.name(entry.assumingMemoryBound(to: GENERAL_NAME.self))
        }
    }

    private static func name(_ entry: UnsafeMutablePointer<GENERAL_NAME>) -> CertificateName? {
        var type: Int32 = 0
        guard let value = GENERAL_NAME_get0_value(entry, &type) else { return nil }
        switch type {
        case GEN_DNS: return text(OpaquePointer(value)).map(CertificateName.dns)
        case GEN_IPADD: return address(OpaquePointer(value)).map(CertificateName.address)
        case GEN_OTHERNAME:
            var identifier: OpaquePointer?
            var content: UnsafeMutablePointer<ASN1_TYPE>?
            guard GENERAL_NAME_get0_otherName(entry, &identifier, &content) == 1, let content else { return nil }
            var dotted = [CChar](repeating: 0, count: 64)
            OBJ_obj2txt(&dotted, Int32(dotted.count), identifier, 1)
            let kind = String(decoding: dotted.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            switch (kind, content.pointee.type) {
            case ("1.3.6.1.5.5.7.8.7", V_ASN1_IA5STRING):
                return text(content.pointee.value.ia5string).map(CertificateName.service)
            case ("1.3.6.1.5.5.7.8.5", V_ASN1_UTF8STRING):
                return text(content.pointee.value.utf8string).map(CertificateName.xmppAddress)
            default: return nil
            }
        default: return nil
        }
    }

    private static func bytes(_ string: UnsafePointer<ASN1_STRING>?) -> [UInt8] {
        guard let string, let data = ASN1_STRING_get0_data(string) else { return [] }
        return Array(UnsafeBufferPointer(start: data, count: Int(ASN1_STRING_length(string))))
    }

    private static func text(_ string: UnsafePointer<ASN1_STRING>?) -> String? {
        let bytes = bytes(string)
        // "good.example\0.evil.example" has deceived other implementations.
        guard !bytes.isEmpty, !bytes.contains(0) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func text(_ string: OpaquePointer) -> String? {
        text(UnsafePointer<ASN1_STRING>(string))
    }

    private static func address(_ string: OpaquePointer) -> String? {
        SocketAddress(networkBytes: bytes(UnsafePointer<ASN1_STRING>(string)))?.address
    }

    /// Whether the certificate is valid for `serverName`: the domain of a JID in A-labels, or an IP address (RFC 6120
    /// §13.7.1, RFC 9525 §6).
    func isFor(_ serverName: String) -> Bool {
        if let address = SocketAddress(serverName, port: 0) { return names.contains(.address(address.address)) }
        let wanted = Self.normalized(serverName)
        return names.contains { name in
            switch name {
            case .dns(let pattern): Self.matches(Self.normalized(pattern), wanted)
            case .service(let service):
                // RFC 4985: the service, then a domain without wildcard.
                ["_xmpp-client.", "_xmpps-client."].contains { Self.normalized(service) == $0 + wanted }
            case .xmppAddress(let domain): Self.normalized(domain) == wanted
            case .address: false
            }
        }
    }

    private static func normalized(_ name: String) -> String {
        let lower = name.lowercased()
        return lower.hasSuffix(".") ? String(lower.dropLast()) : lower
    }

    /// RFC 9525 §6.3: `*` is the whole leftmost label and matches exactly one; not directly below a top-level domain.
    private static func matches(_ pattern: String, _ wanted: String) -> Bool {
        guard pattern.hasPrefix("*.") else { return pattern == wanted && !pattern.isEmpty }
        let parent = pattern.dropFirst(2)
        guard !parent.contains("*"), parent.contains("."), let dot = wanted.firstIndex(of: "."), dot > wanted.startIndex
        else {
            return false
        }
        return wanted[wanted.index(after: dot)...] == parent
    }
}
