import CCurl

/// The parts of a URL that decide whether it may be used, as curl itself reads them: two parsers would disagree somewhere.
struct HTTPURL: Sendable {
    var isSecure: Bool
    /// A-labels or a literal address without brackets.
    var host: String
    var port: UInt16

    /// - Throws: `invalidConfiguration` for anything but `https:`, and `http:` to loopback where that is allowed.
    init(_ text: String, allowsLoopbackHTTP: Bool) throws(TransportError) {
        let url = curl_url()
        defer { curl_url_cleanup(url) }
        guard curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK, let scheme = Self.part(url, CURLUPART_SCHEME),
            var name = Self.part(url, CURLUPART_HOST), !name.isEmpty
        else { throw TransportError(.invalidConfiguration, "This is not a URL: \(text)") }
        if name.hasPrefix("["), name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
        host = name
        port = Self.part(url, CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT)).flatMap { UInt16($0) } ?? 443
        isSecure = scheme.lowercased() == "https"
        if isSecure { return }
        guard scheme.lowercased() == "http" else {
            throw TransportError(.invalidConfiguration, "Only https: is used, not \(scheme): (\(text)).")
        }
        guard allowsLoopbackHTTP, Self.isLoopback(name) else {
            throw TransportError(.invalidConfiguration, "The URL \(text) is not encrypted; only https: is used.")
        }
    }

    static func isLoopback(_ host: String) -> Bool {
        if let address = SocketAddress(host, port: 0) {
            return address.isIPv6 ? address.address == "::1" : address.address.hasPrefix("127.")
        }
        return host.lowercased() == "localhost"
    }

    static func part(_ url: OpaquePointer?, _ part: CURLUPart, _ flags: UInt32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(url, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
