import Hongyan

/// Throws dice for others, and asks others to throw.
public final class Dice: SessionExtension {
    /// Somebody was given this throw.
    public struct Event: Sendable {
        public let requester: JID
        public let value: Int
    }

    /// C: `<iq type='get'><roll xmlns='urn:example:dice' sides='6'/></iq>`, S: `<iq type='result'><roll … value='4'/></iq>`.
    struct Roll: IQRequest {
        static let name = XMLName("roll", "urn:example:dice")
        var sides: Int

        init(sides: Int) { self.sides = sides }

        init(from element: XMLElement) throws(XMLDecodingError) {
            try element.requireName(Self.name)
            sides = try element.value("sides") ?? 6
            guard (2...1000).contains(sides) else {
                throw XMLDecodingError(Self.name, .invalidAttribute("sides", value: "\(sides)"))
            }
        }

        func encode(to writer: inout XMLWriter) {
            writer.start(Self.name)
            writer.attribute("sides", "\(sides)")
            writer.end()
        }

        struct Response: IQResponse, XMLPayload {
            static let name = Roll.name
            var value: Int

            init(_ value: Int) { self.value = value }

            init(from element: XMLElement) throws(XMLDecodingError) {
                try element.requireName(Self.name)
                guard let value: Int = try element.value("value") else {
                    throw XMLDecodingError(Self.name, .missingAttribute("value"))
                }
                self.value = value
            }

            func encode(to writer: inout XMLWriter) {
                writer.start(Self.name)
                writer.attribute("value", "\(value)")
                writer.end()
            }
        }
    }

    private let session: Session
    private let channel = EventChannel<Event>()

    public init(_ session: Session) { self.session = session }

    public var handlers: [IQHandler] {
        [
            IQHandler(Roll.self) { [channel] roll, iq in
                let value = Int.random(in: 1...roll.sides)
                if let requester = iq.from { channel.post(Event(requester: requester, value: value)) }
                return Roll.Response(value)
            }
        ]
    }

    public func events() -> AsyncStream<Event> { channel.stream() }

    public func roll(sides: Int, at peer: JID) async throws(ClientError) -> Int {
        try await session.request(Roll(sides: sides), to: peer).value
    }

    public func sessionEnded(_ session: Session) async { channel.finish() }
}
