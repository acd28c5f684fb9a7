import Hongyan

/// Asks others, and answers when others ask.
///
///     configuration.add { Example($0) }
///     let example = try await session[Example.self]?.example(from: peer)
public final class Example: SessionExtension {
    /// Somebody asked.
    public struct Event: Sendable {
        public let requester: JID
    }

    /// `<example xmlns='urn:example:example'/>`, both the request and, with a text, the response.
    struct Request: IQRequest, IQResponse {
        typealias Response = Request
        static let name = XMLName("example", "urn:example:example")
        var text = ""

        init(_ text: String = "") { self.text = text }

        init(from element: XMLElement) throws(XMLDecodingError) {
            try element.requireName(Self.name)
            text = element.text
        }

        func encode(to writer: inout XMLWriter) { writer.element(Self.name, text: text) }
    }

    private let session: Session
    private let channel = EventChannel<Event>()

    public init(_ session: Session) { self.session = session }

    /// Service discovery announces the namespace of each handler while the extension is there.
    public var handlers: [IQHandler] {
        [
            IQHandler(Request.self) { [channel] _, iq in
                if let requester = iq.from { channel.post(Event(requester: requester)) }
                return Request("answer")
            }
        ]
    }

    /// What happens from now on.
    public func events() -> AsyncStream<Event> { channel.stream() }

    /// Asks a peer.
    public func example(from peer: JID) async throws(ClientError) -> String {
        try await session.request(Request(), to: peer).text
    }

    public func sessionEnded(_ session: Session) async { channel.finish() }
}
