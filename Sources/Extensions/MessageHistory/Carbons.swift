internal import Synchronization
public import XMLStreaming
public import XMPPClient
public import XMPPStanzas
public import XMPPStream

/// Makes the server send copies of the messages that other devices of the account send and receive (XEP-0280 Message
/// Carbons).
///
/// Enabled at the start of each session, together with the login if the server supports that (XEP-0386), and still
/// enabled in a resumed one. A message with a carbon is passed to the observers as received, in order;
/// ``Carbon/init(in:for:)`` parses it. A message with a forged carbon is dropped.
public final class Carbons: SessionExtension, StanzaInterceptor {
    private let onCarbon: (@Sendable (Carbon) async -> Void)?
    private let enabled = Mutex(false)

    /// - Parameter onCarbon: called with each trustworthy carbon, in order, before observers see its message. Reading
    ///   continues when it returns.
    public init(onCarbon: (@Sendable (Carbon) async -> Void)? = nil) { self.onCarbon = onCarbon }

    /// Whether the server sends copies to this session.
    public var isEnabled: Bool { enabled.withLock(\.self) }

    public var features: [String] { [Carbon.namespace] }

    public var interceptors: [any StanzaInterceptor] { [self] }

    public var bindRequests: [BindRequest] {
        [BindRequest(feature: Carbon.namespace, element: XMLElement(EnableCarbons()))]
    }

    public func sessionStarted(_ session: Session, isResumed: Bool) async throws {
        // A new process does not know whether carbons are enabled; enabling them again is harmless.
        guard !isResumed || !isEnabled, let agreement = await session.agreement else { return }
        enabled.withLock { $0 = false }
        if !agreement.inlineFeatures.contains(Carbon.namespace), try await !enable(in: session) { return }
        enabled.withLock { $0 = true }
    }

    public func concerns(received stanza: AnyStanza) -> Bool {
        guard case .message(let message) = stanza else { return false }
        return message.payloads.contains(namespace: Carbon.namespace)
    }

    public func concerns(sent stanza: AnyStanza) -> Bool { false }

    public func decide(received stanza: AnyStanza, in session: isolated Session) -> Interception? {
        guard case .message(let message) = stanza, Carbon.isClaimed(by: message) else { return .pass(stanza) }
        guard let address = session.address, Carbon(in: message, for: address) != nil else { return .drop }
        return onCarbon == nil ? .pass(stanza) : nil
    }

    public nonisolated(nonsending) func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
        if case .message(let message) = stanza, let address = await session.address,
            let carbon = Carbon(in: message, for: address)
        {
            await onCarbon?(carbon)
        }
        return .pass(stanza)
    }

    /// The extensions that start after this one are released as soon as the request is queued: their stanzas arrive
    /// when carbons are enabled, however long the response takes.
    private func enable(in session: Session) async throws(ClientError) -> Bool {
        do throws(ClientError) {
            _ = try await session.request(EnableCarbons(), whenQueued: { session.releaseFollowers() })
            return true
        } catch {
            switch error.stanzaError?.condition {
            // A server without support for carbons is not a failure (§4, §5).
            case .serviceUnavailable?, .featureNotImplemented?: return false
            default: throw error
            }
        }
    }
}

/// Enables carbons for this session (§4).
struct EnableCarbons: IQRequest, EmptyPayload, Equatable {
    typealias Response = EmptyResponse
    static let name = XMLName("enable", Carbon.namespace)
    static let iqType = IQ.Kind.set

    init() {}
}

/// Excludes a message from carbons: the servers do not copy it to other devices (XEP-0280 §8.1 Message Carbons).
///
/// ```
/// C: <message to='juliet@capulet.example/balcony'>…<private xmlns='urn:xmpp:carbons:2'/></message>
/// ```
///
/// Add the hint `no-copy` of XEP-0334 too, for servers that check that one.
public struct CarbonExclusion: MessagePayload, EmptyPayload, Equatable {
    public static let name = XMLName("private", "urn:xmpp:carbons:2")

    public init() {}
}
