public import XMLStreaming
public import XMPPAddress
public import XMPPClient
public import XMPPStanzas

/// Answers pings (XEP-0199 XMPP Ping), and where the program wants it, requests for the software version
/// (XEP-0092 Software Version) and the time (XEP-0202 Entity Time).
///
/// Only peers that may know that this session is online get responses: `Session.mayLearnPresence(_:)`.
public final class EntityInformation: SessionExtension {
    private let version: SoftwareVersion?
    private let time: (@Sendable () -> EntityTime)?

    /// - Parameters:
    ///   - version: the version to report; `nil` keeps it private.
    ///   - time: the time to report, such as `{ .current }`; `nil` keeps it private. The time zone says roughly where the
    ///     user is (XEP-0202 §5).
    public init(version: SoftwareVersion? = nil, time: (@Sendable () -> EntityTime)? = nil) {
        self.version = version
        self.time = time
    }

    public var handlers: [IQHandler] {
        var handlers = [IQHandler(Ping.self) { (_: Ping, _: IQ) async throws -> Void in }]
        if let version {
            handlers.append(IQHandler(SoftwareVersionRequest.self) { _, _ in version })
        }
        if let time { handlers.append(IQHandler(EntityTimeRequest.self) { _, _ in time() }) }
        return handlers
    }
}

extension Session {
    /// Pings `address` (by default our server), and returns the round-trip time.
    ///
    /// - Throws: ``ClientError`` as for every request. The error `service-unavailable` means that the peer does not
    ///   support pings but is online (XEP-0199 §4.2), and counts as a response.
    @discardableResult
    public func ping(_ address: JID? = nil, timeout: Duration? = nil) async throws(ClientError) -> Duration {
        let clock = ContinuousClock()
        let start = clock.now
        do throws(ClientError) {
            _ = try await request(Ping(), to: address, timeout: timeout)
        } catch {
            let condition = error.stanzaError?.condition
            guard condition == .serviceUnavailable || condition == .featureNotImplemented else { throw error }
        }
        return clock.now - start
    }
}

/// The name and version of a program (XEP-0092 Software Version).
///
/// ```
/// C: <iq type='get' to='example.org'><query xmlns='jabber:iq:version'/></iq>
/// S: <iq type='result'><query xmlns='jabber:iq:version'><name>Prosody</name><version>0.12.3</version></query></iq>
/// ```
public struct SoftwareVersion: XMLPayload, Equatable {
    public static let name = XMLName("query", "jabber:iq:version")

    public var softwareName: String
    public var version: String
    /// The operating system; `nil` if the program keeps it private.
    public var operatingSystem: String?

    public init(softwareName: String, version: String, operatingSystem: String? = nil) {
        self.softwareName = softwareName
        self.version = version
        self.operatingSystem = operatingSystem
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let namespace = Self.name.namespace
        softwareName = element.firstChild(XMLName("name", namespace))?.text ?? ""
        version = element.firstChild(XMLName("version", namespace))?.text ?? ""
        operatingSystem = element.firstChild(XMLName("os", namespace))?.text
    }

    public func encode(to writer: inout XMLWriter) {
        let namespace = Self.name.namespace
        writer.start(Self.name)
        writer.element(XMLName("name", namespace), text: softwareName)
        writer.element(XMLName("version", namespace), text: version)
        if let operatingSystem { writer.element(XMLName("os", namespace), text: operatingSystem) }
        writer.end()
    }
}

extension SoftwareVersion: IQResponse {}

/// Requests the name and version of a server's or client's software (XEP-0092 Software Version §3).
public struct SoftwareVersionRequest: IQRequest, EmptyPayload, Equatable {
    public typealias Response = SoftwareVersion
    public static let name = SoftwareVersion.name
    public static let iqType = IQ.Kind.get

    public init() {}
}

/// Checks whether the peer still responds (XEP-0199 XMPP Ping).
///
/// ```
/// C: <iq type='get' id='p1'><ping xmlns='urn:xmpp:ping'/></iq>
/// S: <iq type='result' id='p1'/>
/// ```
public struct Ping: IQRequest, EmptyPayload, Equatable {
    public typealias Response = EmptyResponse
    public static let name = XMLName("ping", "urn:xmpp:ping")
    public static let iqType = IQ.Kind.get

    public init() {}
}
