import FoundationEssentials
import XMLStreaming

/// Other ways to connect to a domain than TCP, as its host-meta file names them (XEP-0156 §2, RFC 6415).
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
/// Links of other kinds stay as they are; what is no link is passed over.
public struct HostMeta: Sendable, Hashable {
    /// One link of the file.
    public struct Link: Sendable, Hashable {
        /// What the link is for.
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

    /// Where XMPP is offered over WebSocket. What is not `wss:` does not count (XEP-0156 §2.2).
    public var webSocketURLs: [WebSocketURL] {
        var urls: [WebSocketURL] = []
        for link in links where link.relation == Self.webSocketRelation {
            if let url = try? WebSocketURL(link.url), !urls.contains(url) { urls.append(url) }
        }
        return urls
    }
}

extension HostMeta {
    /// Reads the XML form (XRD). Comments are passed over; document types and entities are refused.
    public init(xml: [UInt8]) throws(TransportError) {
        let root: XMLElement
        do throws(XMLError) {
            root = try XMLElement(parsing: Self.withoutComments(xml), limits: .beforeAuthentication)
        } catch {
            throw TransportError(.httpFailed, "The host-meta file cannot be read: \(error)")
        }
        let namespace = "http://docs.oasis-open.org/ns/xri/xrd-1.0"
        guard root.isNamed(XMLName("XRD", namespace)) else {
            throw TransportError(.httpFailed, "The host-meta file is something else: \(root.name).")
        }
        self.init(
            links: root.children(XMLName("Link", namespace)).compactMap { link in
                guard let relation = link["rel"], let url = link["href"] else { return nil }
                return Link(relation: relation, url: url)
            })
    }

    /// The parser is that of XMPP, which knows no comments; people write them into files.
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

    /// Anything at all; only what has both members is a link.
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

    /// Reads the JSON form (JRD, RFC 6415 appendix A).
    public init(json: [UInt8]) throws(TransportError) {
        do {
            self.init(
                links: try JSONDecoder().decode(Document.self, from: Data(json)).links?.compactMap(\.link) ?? [])
        } catch {
            throw TransportError(.httpFailed, "The host-meta file is not the JSON that was expected.")
        }
    }
}
