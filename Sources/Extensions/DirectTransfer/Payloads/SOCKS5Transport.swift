public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// Bytes through a TCP connection, direct or through a proxy (XEP-0260 Jingle SOCKS5 Bytestreams Transport Method).
///
/// ```
/// <transport xmlns='urn:xmpp:jingle:transports:s5b:1' dstaddr='972b7bf4…' mode='tcp' sid='vj3hs98y'>
///    <candidate cid='xmdh4b7i' host='192.0.2.7' jid='streamer.shakespeare.lit' port='7625' priority='7878787'
///      type='proxy'/></transport>
/// ```
public struct SOCKS5Transport: XMLPayload, Hashable {
    public static let name = XMLName("transport", "urn:xmpp:jingle:transports:s5b:1")

    /// An address at which the other side can connect (§2.2).
    public struct Candidate: Sendable, Hashable {
        public enum Kind: String, Sendable, Hashable, CaseIterable {
            case direct, assisted, tunnel, proxy

            /// Between 0 and 127; greater is better (§2.2).
            var preference: UInt32 {
                switch self {
                case .direct: 126
                case .assisted: 120
                case .tunnel: 110
                case .proxy: 10
                }
            }
        }

        public var id: String
        public var host: String
        public var port: UInt16
        /// The device or the proxy behind the address.
        public var address: JID
        public var kind: Kind
        public var priority: UInt32

        /// - Parameter localPreference: between 0 and 65535 among candidates of one kind.
        public init(
            id: String, host: String, port: UInt16, address: JID, kind: Kind, localPreference: UInt16 = 0
        ) {
            self.id = id
            self.host = host
            self.port = port
            self.address = address
            self.kind = kind
            priority = kind.preference << 16 + UInt32(localPreference)
        }

        fileprivate init(reading element: XMLElement) throws(XMLDecodingError) {
            id = try element.identifier("cid")
            host = try element.identifier("host")
            port = try element.value("port") ?? SOCKS5Transport.usualPort
            address = try element.requiredAddress("jid")
            kind = try element.value("type") ?? .direct
            guard let priority: UInt32 = try element.value("priority") else {
                throw XMLDecodingError(element.name, .missingAttribute("priority"))
            }
            self.priority = priority
        }

        fileprivate func encode(to writer: inout XMLWriter) {
            writer.start(SOCKS5Transport.named("candidate"))
            writer.attribute("cid", id)
            writer.attribute("host", host)
            writer.attribute("jid", address.description)
            writer.attribute("port", String(port))
            writer.attribute("priority", String(priority))
            writer.attribute("type", kind.rawValue)
            writer.end()
        }
    }

    /// What one side reports about its attempts (§2.3, §2.4).
    public enum News: Sendable, Hashable {
        case candidateUsed(String)
        /// None of the other side's candidates can be reached.
        case candidateError
        /// The proxy of the candidate transfers from now on.
        case activated(String)
        case proxyError
    }

    /// Registered for SOCKS.
    static let usualPort: UInt16 = 1080
    /// The maximum number of candidates that are read and tried; a device has a few interfaces.
    static let candidateLimit = 16

    public var id: String
    /// The name under which a proxy joins the two connections, as the sender of the candidates has computed it.
    public var destination: String?
    public var candidates: [Candidate]
    public var news: News?
    /// Whether the bytes travel in datagrams. It is refused here.
    public var usesDatagrams = false

    public init(id: String, destination: String? = nil, candidates: [Candidate] = [], news: News? = nil) {
        self.id = id
        self.destination = destination
        self.candidates = candidates
        self.news = news
    }

    /// Invalid candidates are skipped.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        self.init(id: try element.identifier("sid"), destination: element["dstaddr"])
        usesDatagrams = element["mode"] == "udp"
        for child in element.children where child.namespace == Self.name.namespace {
            switch child.localName {
            case "candidate" where candidates.count < Self.candidateLimit:
                if let candidate = try? Candidate(reading: child) { candidates.append(candidate) }
            case "candidate-used": news = .candidateUsed(try child.identifier("cid"))
            case "candidate-error": news = .candidateError
            case "activated": news = .activated(try child.identifier("cid"))
            case "proxy-error": news = .proxyError
            default: break
            }
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("dstaddr", destination)
        writer.attribute("mode", usesDatagrams ? "udp" : nil)
        writer.attribute("sid", id)
        for candidate in candidates { candidate.encode(to: &writer) }
        if let news {
            let (local, id): (String, String?) =
                switch news {
                case .candidateUsed(let id): ("candidate-used", id)
                case .candidateError: ("candidate-error", nil)
                case .activated(let id): ("activated", id)
                case .proxyError: ("proxy-error", nil)
                }
            writer.start(Self.named(local))
            writer.attribute("cid", id)
            writer.end()
        }
        writer.end()
    }

    private static func named(_ local: String) -> XMLName { XMLName(local, name.namespace) }
}

/// Requests the address of a proxy, or activates a bytestream through it (XEP-0065 SOCKS5 Bytestreams §4, §6).
///
/// ```
/// C: <iq type='get' to='streamer.example.com'><query xmlns='http://jabber.org/protocol/bytestreams'/></iq>
/// S: <iq type='result'><query xmlns='http://jabber.org/protocol/bytestreams'>
///      <streamhost host='24.24.24.1' jid='streamer.example.com' port='7625'/></query></iq>
/// ```
public struct ProxyRequest: IQRequest, EmptyPayload, Hashable {
    public static let namespace = "http://jabber.org/protocol/bytestreams"
    public static let name = XMLName("query", namespace)

    /// The addresses at which the proxy listens.
    public struct Response: IQResponse, Hashable {
        public struct Host: Sendable, Hashable {
            public var address: JID
            public var host: String
            public var port: UInt16
        }

        /// The maximum number of addresses of a proxy that are read.
        private static let limit = 8

        public var hosts: [Host]

        public init(payload: XMLElement?) throws(XMLDecodingError) {
            let name = XMLName("streamhost", ProxyRequest.namespace)
            hosts = []
            guard let payload else { return }
            for child in payload.children(name).prefix(Self.limit) {
                guard let address = try? child.requiredAddress("jid"), let host = try? child.identifier("host") else {
                    continue
                }
                let port = (try? child.value("port", as: UInt16.self)) ?? nil
                hosts.append(Host(address: address, host: host, port: port ?? SOCKS5Transport.usualPort))
            }
        }
    }

    public init() {}
}

/// Lets a proxy join the connections of both sides (XEP-0065 SOCKS5 Bytestreams §6.3.5).
public struct ProxyActivation: IQRequest, Hashable {
    public typealias Response = EmptyResponse
    public static let name = ProxyRequest.name
    public static let iqType = IQ.Kind.set

    public var id: String
    /// The other side.
    public var target: JID

    public init(id: String, target: JID) {
        self.id = id
        self.target = target
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        id = try element.identifier("sid")
        let text = try element.required(Self.activateName).text
        guard let target = try? JID(text) else { throw XMLDecodingError(Self.activateName, .invalidText) }
        self.target = target
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("sid", id)
        writer.element(Self.activateName, text: target.description)
        writer.end()
    }

    private static let activateName = XMLName("activate", ProxyRequest.namespace)
}
