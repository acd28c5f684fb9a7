import CCurl

/// One header field.
public struct HTTPHeader: Sendable, Hashable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// A line break would allow a value to inject header lines (XEP-0363 §4 warns of it).
    var isValid: Bool {
        !name.isEmpty && !(name + value).utf8.contains { $0 == 0x0A || $0 == 0x0D || $0 == 0 } && !name.contains(":")
    }
}

/// The response to a successful transfer.
public struct HTTPResponse: Sendable, Hashable {
    /// 200 to 299.
    public var status: Int
    public var headers: [HTTPHeader] = []
    /// Empty if the body was written to a file.
    public var body: [UInt8] = []
    /// The number of bytes of the body, in memory or in a file.
    public var byteCount = 0

    /// The first header field with that name, case-insensitively.
    public subscript(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// The progress of a transfer.
public struct HTTPProgress: Sendable, Hashable {
    /// Bytes of the body so far.
    public var completed: Int64
    /// `nil` if the size is unknown.
    public var total: Int64?

    public init(completed: Int64, total: Int64?) {
        self.completed = completed
        self.total = total
    }

    /// 0 to 1; `nil` if the size is unknown.
    public var fraction: Double? {
        total.flatMap { $0 > 0 ? min(1, Double(completed) / Double($0)) : nil }
    }
}

/// A transfer to perform.
struct HTTPRequest: Sendable {
    enum Body: Sendable {
        case none
        case bytes([UInt8])
        case file(String)

        var isNone: Bool { if case .none = self { true } else { false } }
    }

    enum Destination: Sendable {
        case memory
        case file(String)
    }

    var url: String
    var headers: [HTTPHeader]
    var body: Body
    var destination: Destination
    var limit: Int
    var progress: HTTPClient.ProgressHandler?
}

/// The parts of a URL that decide whether it may be used, parsed by curl itself: two parsers could disagree.
struct HTTPURL: Sendable {
    var isSecure: Bool
    /// A-labels or a literal address without brackets.
    var host: String
    var port: UInt16

    /// - Throws: `invalidConfiguration` for anything but `https:`, and `http:` to loopback if that is allowed.
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
