public import XMPPAddress
public import XMPPClient
internal import XMPPStanzas

/// Answers pings (XEP-0199 XMPP Ping) and requests for the software version (XEP-0092 Software Version).
///
/// Only peers that may know that this session is online get responses: `Session.mayLearnPresence(_:)`.
public final class EntityInformation: SessionExtension {
    private let version: SoftwareVersion?

    /// - Parameter version: the version to report; `nil` keeps it private.
    public init(version: SoftwareVersion? = nil) {
        self.version = version
    }

    public var handlers: [IQHandler] {
        var handlers = [IQHandler(Ping.self) { (_: Ping, _: IQ) async throws -> Void in }]
        if let version {
            handlers.append(IQHandler(SoftwareVersionRequest.self) { _, _ in version })
        }
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
