public import XMLStreaming
public import XMPPAddress
public import XMPPClient
public import XMPPStanzas

/// How long ago an entity was active (XEP-0012 Last Activity). What that means depends on the address that was asked:
/// of an account, the time since its last device went offline, zero while one is online (§3); of a device, since its
/// user did something (§4); of a server, since it was started (§5).
///
/// ```
/// C: <iq type='get' to='juliet@capulet.com'><query xmlns='jabber:iq:last'/></iq>
/// S: <iq type='result'><query xmlns='jabber:iq:last' seconds='903'>Heading Home</query></iq>
/// ```
public struct LastActivity: XMLPayload, Equatable {
    public static let name = XMLName("query", "jabber:iq:last")
    /// A thousand years in seconds: sums with the time of today still fit everywhere.
    static let longest: UInt64 = 31_556_952_000

    /// In seconds, at most a thousand years.
    public var seconds: UInt64
    /// The status text with which the last device of an account went offline; `nil` if there was none.
    public var status: String?

    public init(seconds: UInt64, status: String? = nil) {
        self.seconds = min(seconds, Self.longest)
        self.status = status
    }

    public var duration: Duration { .seconds(Int64(seconds)) }

    /// - Throws: without `seconds`, or if they are no number of that size.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let number = try element.required("seconds")
        guard let seconds = UInt64(number), seconds <= Self.longest else {
            throw XMLDecodingError(Self.name, .invalidAttribute("seconds", value: number))
        }
        let text = element.text
        self.init(seconds: seconds, status: text.isEmpty ? nil : text)
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("seconds", String(seconds))
        if let status { writer.text(status) }
        writer.end()
    }
}

extension LastActivity: IQResponse {}

/// Requests how long ago an account, a device or a server was active (XEP-0012 Last Activity §2).
public struct LastActivityRequest: IQRequest, EmptyPayload, Equatable {
    public typealias Response = LastActivity
    public static let name = LastActivity.name
    public static let iqType = IQ.Kind.get

    public init() {}
}

extension Session {
    /// How long ago an account, a device or a server was active (XEP-0012). A server answers for an account only to those
    /// who see its presence, and otherwise with the error `forbidden`.
    ///
    /// - Throws: ``ClientError`` as for every request.
    public func lastActivity(of address: JID) async throws(ClientError) -> LastActivity {
        try await request(LastActivityRequest(), to: address)
    }
}
