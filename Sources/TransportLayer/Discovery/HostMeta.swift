import FoundationEssentials
import XMLStreaming

/// The alternatives to TCP for connecting to a domain, listed in its host-meta file (XEP-0156 §2, RFC 6415).
///
/// ```xml
/// <XRD xmlns='http://docs.oasis-open.org/ns/xri/xrd-1.0'>
///   <Link rel='urn:xmpp:alt-connections:websocket' href='wss://web.example.com:443/ws'/>
/// </XRD>
/// ```
/// or the same as JSON:
/// ```
/// {"links": [{"rel": "urn:xmpp:alt-connections:websocket", "href": "wss://web.example.com:443/ws"}]}
/// ```
/// Links of other kinds are preserved; anything that is not a link is ignored.
public struct HostMeta: Sendable, Hashable {
    /// One link of the file.
    public struct Link: Sendable, Hashable {
        /// The relation type of the link.
        public var relation: String
        public var url: String

        public init(relation: String, url: String) {
            self.relation = relation
            self.url = url
        }
    }

    public var links: [Link]

    public init(links: [Link] = []) {
        self.links = links
    }

    /// The relation of a WebSocket service (RFC 7395 §4).
    public static let webSocketRelation = "urn:xmpp:alt-connections:websocket"

    /// The URLs of XMPP over WebSocket. Anything but `wss:` is ignored (XEP-0156 §2.2).
    public var webSocketURLs: [WebSocketURL] {
        var urls: [WebSocketURL] = []
        for link in links where link.relation == Self.webSocketRelation {
            if let url = try? WebSocketURL(link.url), !urls.contains(url) { urls.append(url) }
        }
        return urls
    }
}

extension HostMeta {
    /// Parses the XML format (XRD). Comments are skipped; document types and entities are refused.
    public init(xml: [UInt8]) throws(TransportError) {
        let root: XMLElement
        do throws(XMLError) {
            root = try XMLElement(parsing: Self.withoutComments(xml), limits: .beforeAuthentication)
        } catch {
            throw TransportError(.httpFailed, "The host-meta file cannot be read: \(error)")
        }
        let namespace = "http://docs.oasis-open.org/ns/xri/xrd-1.0"
        guard root.isNamed(XMLName("XRD", namespace)) else {
            throw TransportError(.httpFailed, "The host-meta file has an unexpected root element: \(root.name).")
        }
        self.init(
            links: root.children(XMLName("Link", namespace)).compactMap { link in
                guard let relation = link["rel"], let url = link["href"] else { return nil }
                return Link(relation: relation, url: url)
            })
    }

    /// The parser is the one for XMPP, which refuses comments; real files contain some.
    private static func withoutComments(_ bytes: [UInt8]) -> [UInt8] {
        var text = String(decoding: bytes, as: UTF8.self)[...]
        if text.first == "\u{FEFF}" { text = text.dropFirst() }
        var result = ""
        while let start = text.firstRange(of: "<!--") {
            guard let end = text[start.upperBound...].firstRange(of: "-->") else { break }
            result += text[..<start.lowerBound]
            text = text[end.upperBound...]
        }
        return Array((result + text).utf8)
    }
}

extension HostMeta {
    private struct Document: Decodable {
        var links: [Entry]?
    }

    /// Any JSON object; only those with both members are links.
    private struct Entry: Decodable {
        var link: Link?

        private enum CodingKeys: String, CodingKey { case rel, href }

        init(from decoder: any Decoder) throws {
            let members = try? decoder.container(keyedBy: CodingKeys.self)
            guard let relation = try? members?.decode(String.self, forKey: .rel),
                let url = try? members?.decode(String.self, forKey: .href)
            else { return }
            link = Link(relation: relation, url: url)
        }
    }

    /// Parses the JSON format (JRD, RFC 6415 appendix A).
    public init(json: [UInt8]) throws(TransportError) {
        do {
            self.init(
                links: try JSONDecoder().decode(Document.self, from: Data(json)).links?.compactMap(\.link) ?? [])
        } catch {
            throw TransportError(.httpFailed, "The host-meta file is not the expected JSON.")
        }
    }
}

/// Fetches host-meta files: only over HTTPS from the domain itself, with limits on bytes, time and redirects.
struct HostMetaLookup: Sendable {
    /// Real files have a few hundred bytes; those of large providers with many links a few thousand.
    static let fileBytes = 64 * 1024
    /// The maximum number of services that are tried.
    static let maximumURLs = 4

    let resolver: ResolverConfiguration
    var proxy: Proxy?
    let trust: TrustPolicy
    /// 443 except in tests.
    let port: UInt16
    let timeout: Duration

    /// The WebSocket services of `domain`, in no particular order (XEP-0156 §2.2); failures are added to `attempts`.
    ///
    /// Every domain must provide the XML format; the JSON format is fetched only if the first is missing or lists none.
    func webSocketURLs(
        of domain: String, _ attempts: inout [ConnectionAttempt]
    ) async throws(TransportError) -> [WebSocketURL] {
        var settings = HTTPClient.Configuration(trust: trust.withoutQuestion)
        settings.resolver = resolver
        settings.proxy = proxy
        settings.total = timeout
        settings.connecting = min(settings.connecting, timeout)
        let client = HTTPClient(configuration: settings)
        let deadline = ContinuousClock.now + timeout
        for suffix in ["", ".json"] {
            let url = "https://\(domain)\(port == 443 ? "" : ":\(port)")/.well-known/host-meta\(suffix)"
            guard ContinuousClock.now < deadline else { break }
            do throws(TransportError) {
                let body = try await client.download(url, limit: Self.fileBytes).body
                let file = suffix.isEmpty ? try HostMeta(xml: body) : try HostMeta(json: body)
                let found = file.webSocketURLs.prefix(Self.maximumURLs)
                if !found.isEmpty { return Array(found) }
                attempts.append(ConnectionAttempt(target: url, outcome: "It names no WebSocket service."))
            } catch {
                if error.code == .cancelled { throw error }
                attempts.append(ConnectionAttempt(target: url, outcome: error.description))
                // Only a server that responded may have the other format.
                guard [.httpStatus, .httpFailed, .tooLarge].contains(error.code) else { break }
            }
        }
        return []
    }
}
