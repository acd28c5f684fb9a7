public import XMPPAddress
public import XMPPClient
internal import XMPPStanzas

/// Answers who asks whether this program is there (XEP-0199 XMPP Ping) and which it is (XEP-0092 Software Version).
///
/// Only those who may know that this session is online get these answers: `Session.mayLearnPresence(_:)`.
public final class EntityInformation: SessionExtension {
    private let version: SoftwareVersion?

    /// - Parameter version: what is told to others; `nil` keeps it private.
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
    /// Asks whether `address` (the own server without one) answers, and returns how long that took.
    ///
    /// - Throws: ``ClientError`` as every request. Who answers with the error `service-unavailable` does not know the
    ///   question, but is there (XEP-0199 §4.2), and counts as an answer.
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
