public import XMLStreaming
public import XMPPAddress

/// A stanza of any of the three kinds.
public enum AnyStanza: Sendable, Hashable, XMLEncodable {
    case message(Message)
    case presence(Presence)
    case iq(IQ)

    /// Reads a top-level element; returns `nil` if it is not a stanza, throws if it is an invalid one.
    public init?(_ element: XMLElement) throws(XMLDecodingError) {
        var decoder = StanzaDecoder()
        guard let stanza = try decoder.decode(element) else { return nil }
        self = stanza
    }

    /// The identifier of the stanza (RFC 6120 §8.1.3).
    public var id: String? {
        get {
            switch self {
            case .message(let message): message.id
            case .presence(let presence): presence.id
            case .iq(let iq): iq.id
            }
        }
        set {
            switch consume self {
            case .message(var message):
                message.id = newValue
                self = .message(message)
            case .presence(var presence):
                presence.id = newValue
                self = .presence(presence)
            case .iq(var iq):
                iq.id = newValue
                self = .iq(iq)
            }
        }
    }

    /// The receiver (RFC 6120 §8.1.1).
    public var to: JID? {
        get {
            switch self {
            case .message(let message): message.to
            case .presence(let presence): presence.to
            case .iq(let iq): iq.to
            }
        }
        set {
            switch consume self {
            case .message(var message):
                message.to = newValue
                self = .message(message)
            case .presence(var presence):
                presence.to = newValue
                self = .presence(presence)
            case .iq(var iq):
                iq.to = newValue
                self = .iq(iq)
            }
        }
    }

    /// The sender (RFC 6120 §8.1.2).
    public var from: JID? {
        get {
            switch self {
            case .message(let message): message.from
            case .presence(let presence): presence.from
            case .iq(let iq): iq.from
            }
        }
        set {
            switch consume self {
            case .message(var message):
                message.from = newValue
                self = .message(message)
            case .presence(var presence):
                presence.from = newValue
                self = .presence(presence)
            case .iq(var iq):
                iq.from = newValue
                self = .iq(iq)
            }
        }
    }

    /// All children of the stanza, in order.
    public var payloads: Payloads {
        get {
            switch self {
            case .message(let message): message.payloads
            case .presence(let presence): presence.payloads
            case .iq(let iq): iq.payloads
            }
        }
        set {
            switch consume self {
            case .message(var message):
                message.payloads = newValue
                self = .message(message)
            case .presence(var presence):
                presence.payloads = newValue
                self = .presence(presence)
            case .iq(var iq):
                iq.payloads = newValue
                self = .iq(iq)
            }
        }
    }

    /// Whether the stanza is of type `error`.
    public var isError: Bool {
        switch self {
        case .message(let message): message.isError
        case .presence(let presence): presence.isError
        case .iq(let iq): iq.isError
        }
    }

    /// The error of a stanza of type `error`, otherwise `nil`.
    public var error: StanzaError? {
        switch self {
        case .message(let message): message.error
        case .presence(let presence): presence.error
        case .iq(let iq): iq.error
        }
    }

    public func encode(to writer: inout XMLWriter) {
        switch self {
        case .message(let message): message.encode(to: &writer)
        case .presence(let presence): presence.encode(to: &writer)
        case .iq(let iq): iq.encode(to: &writer)
        }
    }
}

/// Reads the stanzas of one stream and caches addresses between them.
public struct StanzaDecoder: Sendable {
    private var addresses = AddressCache(caching: ())

    public init() {}

    /// The stanza in a top-level element, or `nil` if it is something else.
    ///
    /// Throws if the element is an invalid stanza, for example because of an invalid address. ``IQ/rejection(of:)``
    /// gives the response to send to a request then.
    public mutating func decode(_ element: XMLElement) throws(XMLDecodingError) -> AnyStanza? {
        if Message.isName(of: element) { return .message(try Message.read(element, addresses: &addresses)) }
        if Presence.isName(of: element) { return .presence(try Presence.read(element, addresses: &addresses)) }
        if IQ.isName(of: element) { return .iq(try IQ.read(element, addresses: &addresses)) }
        return nil
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether the bytes equal an ASCII keyword. Short attribute values are recognised this way without creating a
    /// string.
    func matches(_ word: StaticString) -> Bool {
        guard count == word.utf8CodeUnitCount else { return false }
        for index in 0..<count where self[index] != word.utf8Start[index] { return false }
        return true
    }
}
