public import XMLStreaming
public import XMPPStanzas
public import XMPPStream

/// Stores the state of a session, so that the session can be resumed after the process has ended at any point (XEP-0198
/// §5), with no message lost or duplicated.
///
/// The session follows these rules:
///
/// * A stanza is in a committed ``SessionChange/resumption`` before its bytes are passed to the transport. One commit
///   covers all stanzas that are written at once.
/// * Received stanzas are committed, together with the state that counts them, before they are acknowledged to the
///   server and before interceptors and observers see them.
/// * Commits are serial, in the order of the events.
///
/// Therefore a store that saves its messages and the resumption in one transaction has every message exactly once. A
/// commit that throws ends the session with the code `storeFailed`: nothing in it is acknowledged or written, and the
/// server keeps the messages for the next session.
public protocol SessionStore: Sendable {
    /// The last committed state; `nil` if there is no session to resume.
    func loadSession() async throws -> SavedSession?

    /// Stores one step completely or not at all; it must be durable when this returns.
    func commit(_ change: SessionChange) async throws

    /// The session has ended; no commit follows.
    func sessionEnded() async
}

extension SessionStore {
    public func sessionEnded() async {}
}

/// The stored state of an earlier session.
public struct SavedSession: Sendable, Equatable {
    /// The state to resume from.
    public var resumption: ResumptionState

    public init(resumption: ResumptionState) {
        self.resumption = resumption
    }
}

/// A stanza as it was received. The store and the session share what is read of it, so that each stanza is decoded once.
public struct ReceivedStanza: Sendable {
    /// The stanza as it came.
    public let element: XMLElement
    /// What was read of it; `nil` if the element is not a stanza or an invalid one, for example because of an invalid
    /// address. The session responds to an invalid one.
    public let stanza: AnyStanza?
    /// Why ``stanza`` is `nil`, if the element is an invalid stanza.
    let error: XMLDecodingError?

    init(_ element: XMLElement, by decoder: inout StanzaDecoder) {
        self.element = element
        do throws(XMLDecodingError) {
            stanza = try decoder.decode(element)
            error = nil
        } catch {
            stanza = nil
            self.error = error
        }
    }

    /// Reads a stanza.
    package init(_ element: XMLElement) {
        var decoder = StanzaDecoder()
        self.init(element, by: &decoder)
    }

    /// The same, with a memory of decoded payloads: the store and the interceptors read the same ones.
    func rememberingDecoded() -> ReceivedStanza {
        guard case .message(var message)? = stanza else { return self }
        message.payloads.rememberDecoded()
        return ReceivedStanza(element: element, stanza: .message(message), error: error)
    }

    private init(element: XMLElement, stanza: AnyStanza?, error: XMLDecodingError?) {
        self.element = element
        self.stanza = stanza
        self.error = error
    }
}

/// One step of a session, to be stored atomically.
public struct SessionChange: Sendable {
    /// The received stanzas, oldest first, before any interceptor.
    public var received: [ReceivedStanza] = []

    /// The ids of our stanzas that the server acknowledged since the previous step.
    public var acknowledged: [String] = []

    /// Our stanzas of a lost session for which it is unknown whether they arrived, oldest first. Stanzas that the
    /// server acknowledged, even when it refused the resumption (`<failed h='…'/>`), are not included. They are not
    /// part of any later state; the program decides whether to send them again.
    public var unacknowledged: [UnacknowledgedStanza] = []

    /// The state after this step; `nil` if the session cannot be resumed: it was closed intentionally or lost, or the
    /// server does not support resumption.
    public var resumption: ResumptionState?

    public init(
        received: [ReceivedStanza] = [], acknowledged: [String] = [], unacknowledged: [UnacknowledgedStanza] = [],
        resumption: ResumptionState?
    ) {
        self.received = received
        self.acknowledged = acknowledged
        self.unacknowledged = unacknowledged
        self.resumption = resumption
    }
}
