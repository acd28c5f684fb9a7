import CCurl
import Glibc

/// A proxy through which connections and transfers go: SOCKS 5 (RFC 1928, RFC 1929) or the method CONNECT of HTTP (RFC 9110
/// §9.3.6).
///
///     configuration.proxy = try Proxy("socks5h://127.0.0.1:9050")
///
/// The proxy only forwards bytes: TLS and the certificate of the server are as without it. The connection to the proxy itself
/// is not encrypted, so name and password for it can be read on the way.
public struct Proxy: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case socks5, http
    }

    public var kind: Kind
    /// A name or a literal address without brackets.
    public var host: String
    public var port: UInt16
    /// With which the proxy lets a user in; at most 255 bytes each for SOCKS.
    public var username: String?
    public var password: String?
    /// Whether nothing is looked up in DNS here: the proxy gets the domain of the account, at the ports 5222 and 5223. The
    /// services that a domain has in DNS (SRV) are not found then; give `host` if the domain needs them. Otherwise SRV records
    /// are looked up here. The addresses of hosts are always left to the proxy.
    public var avoidsDNS: Bool

    public init(
        _ kind: Kind, host: String, port: UInt16, username: String? = nil, password: String? = nil,
        avoidsDNS: Bool = false
    ) {
        self.kind = kind
        self.host = host
        self.port = port
        self.username = username
        self.password = password
        self.avoidsDNS = avoidsDNS
    }

    /// Reads a URL: `socks5://user:password@host:1080`, `socks5h://…`, which looks up nothing in DNS here
    /// (``avoidsDNS``), or `http://host:3128`. Without a port 1080 is used, or 3128 for HTTP.
    ///
    /// - Throws: ``TransportError`` with `invalidConfiguration`.
    public init(_ url: String) throws(TransportError) {
        let parsed = curl_url()
        defer { curl_url_cleanup(parsed) }
        guard curl_url_set(parsed, CURLUPART_URL, url, UInt32(CURLU_NON_SUPPORT_SCHEME)) == CURLUE_OK,
            let scheme = HTTPURL.part(parsed, CURLUPART_SCHEME)?.lowercased(),
            var host = HTTPURL.part(parsed, CURLUPART_HOST), !host.isEmpty
        else { throw TransportError(.invalidConfiguration, "This is not the URL of a proxy.") }
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        let kinds: [String: Kind] = ["socks5": .socks5, "socks5h": .socks5, "http": .http]
        guard let kind = kinds[scheme] else {
            throw TransportError(
                .invalidConfiguration, "A proxy is used with socks5:, socks5h: or http:, not with \(scheme):.")
        }
        let path = HTTPURL.part(parsed, CURLUPART_PATH)
        guard path == nil || path == "/", HTTPURL.part(parsed, CURLUPART_QUERY) == nil else {
            throw TransportError(.invalidConfiguration, "The URL of a proxy has nothing after its port.")
        }
        let number = HTTPURL.part(parsed, CURLUPART_PORT).map { UInt16($0) ?? 0 }
        guard number != 0 else { throw TransportError(.invalidConfiguration, "The port of the proxy cannot be used.") }
        self.init(
            kind, host: host, port: number ?? (kind == .http ? 3128 : 1080),
            username: HTTPURL.part(parsed, CURLUPART_USER, UInt32(CURLU_URLDECODE)),
            password: HTTPURL.part(parsed, CURLUPART_PASSWORD, UInt32(CURLU_URLDECODE)), avoidsDNS: scheme == "socks5h")
        guard kind == .http || [username, password].allSatisfy({ ($0?.utf8.count ?? 0) <= SOCKSHandshake.maximumName })
        else {
            throw TransportError(.invalidConfiguration, "Name and password of a SOCKS proxy have at most 255 bytes.")
        }
    }

    /// Reads a URL without a password, and the password from the first line of a file, which no list of processes shows.
    ///
    /// - Throws: ``TransportError`` with `invalidConfiguration`.
    public init(_ url: String, passwordFile: String?) throws(TransportError) {
        try self.init(url)
        guard password == nil else {
            throw TransportError(
                .invalidConfiguration, "The password of the proxy belongs into a file, not into its URL.")
        }
        guard let passwordFile else { return }
        guard let file = fopen(passwordFile, "r") else {
            throw TransportError(.invalidConfiguration, "The file with the password of the proxy cannot be read.")
        }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: Self.lineLimit)
        guard fgets(&line, Int32(line.count), file) != nil else {
            throw TransportError(.invalidConfiguration, "The file with the password of the proxy is empty.")
        }
        let bytes = line.prefix { $0 != 0 && $0 != 10 && $0 != 13 }.map { UInt8(bitPattern: $0) }
        password = String(decoding: bytes, as: UTF8.self)
    }

    /// The longest password in bytes that is read from a file.
    private static let lineLimit = 1024

    /// A proxy that does not exist. It stands for one whose settings cannot be used any more, because going around it could
    /// tell others where the user is.
    public static let unusable = Proxy(.socks5, host: "proxy.invalid", port: 1080, avoidsDNS: true)

    var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension Proxy: CustomStringConvertible {
    /// Without name and password.
    public var description: String { "\(kind.rawValue)\(avoidsDNS ? "h" : "")://\(authority)" }
}
