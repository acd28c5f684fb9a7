public import XMPPAddress
public import XMPPStanzas
public import XMPPStream

extension Session {
    /// The full address the session is bound to, or the domain of a component; `nil` before the first login.
    public var address: JID? { machine.address }

    /// Whether the session is online.
    public var isOnline: Bool { machine.isOnline }

    /// The current state of the connection; changes are reported as ``SessionEvent/stateChanged(_:)``.
    public var connectionState: ConnectionState { machine.shown }

    /// The settings negotiated with the server on the current connection; `nil` without a connection.
    public var agreement: StreamSession? { machine.session }

    /// The data traffic of the connections of this session so far.
    public var traffic: Traffic {
        var traffic = counted
        traffic.keepAlives += stream?.keepAliveCount ?? 0
        return traffic
    }

    /// The last broadcast presence, as others see this session; subscription requests and directed presence do not
    /// count.
    public var presence: Presence? { machine.presence }

    /// The features that service discovery announces: those of the handlers and of the extensions, sorted.
    public var features: [String] {
        router.features.union(extensionTable.instances.flatMap(\.features)).sorted()
    }

    /// The state from which this session can be resumed on another connection, also in another process (XEP-0198 §5);
    /// `nil` if it cannot be resumed.
    public var resumptionState: ResumptionState? { stream?.resumptionState }

    /// The extension of this type; `nil` if the configuration has none or the session is over.
    public nonisolated subscript<Extension: SessionExtension>(_ type: Extension.Type) -> Extension? {
        extensionTable.find(type)
    }

    /// The extensions of this session that conform to a protocol, in the order of the configuration:
    /// `session.extensions(as: (any PeerDirectory).self)`.
    public nonisolated func extensions<Role>(as role: Role.Type) -> [Role] {
        extensionTable.instances.compactMap { $0 as? Role }
    }

    /// The number of sessions on the server so far; a resumption continues the same one.
    package var serverSessionCount: Int { machine.serverSessions }

    /// Whether the session has ended.
    var isOver: Bool { machine.phase == .ended }

    /// The failure that ended the session; `nil` before the end and after a requested end.
    var failure: ClientError? { machine.failure }

    /// The features that the server offers before a registration.
    var registrationFeatures: StreamFeatures { machine.registrationFeatures ?? .none }

    /// Registers another handler of requests; its feature is announced from now on.
    ///
    /// - Throws: ``ClientError`` with `handlerExists` if these requests already have a handler.
    public func register(_ handler: IQHandler) throws(ClientError) {
        try router.register(handler)
    }

    /// Removes a handler; its waiting requests are refused.
    public func unregister(_ key: IQHandler.Key) {
        for iq in router.unregister(key) { answer(.error(for: iq, StanzaError(.serviceUnavailable))) }
    }
}
