internal import Synchronization
internal import XMLStreaming
public import XMPPClient
public import XMPPStanzas
public import XMPPStream

/// Lets the server send copies of what the other devices of the account send and receive (XEP-0280 Message Carbons).
///
/// It is switched on at the beginning of each session, together with the login where the server can do that (XEP-0386),
/// and lives on in a resumed one. A message that brings a copy passes on to the observers as it came, in its place in
/// the order; ``Carbon/init(in:for:)`` reads it. A message that pretends to bring one, but does not come from the own
/// account, is dropped.
public final class Carbons: SessionExtension, StanzaInterceptor {
    private let onCarbon: (@Sendable (Carbon) async -> Void)?
    private let enabled = Mutex(false)

    /// - Parameter onCarbon: Is given each copy that may be believed, in order, before observers see the message that
    ///   brought it. Nothing else is read meanwhile.
    public init(onCarbon: (@Sendable (Carbon) async -> Void)? = nil) { self.onCarbon = onCarbon }

    /// Whether the server sends copies to this session.
    public var isEnabled: Bool { enabled.withLock(\.self) }

    public var features: [String] { [Carbon.namespace] }

    public var interceptors: [any StanzaInterceptor] { [self] }

    public var bindRequests: [BindRequest] {
        [BindRequest(feature: Carbon.namespace, element: XMLElement(EnableCarbons()))]
    }

    public func sessionStarted(_ session: Session, isResumed: Bool) async throws {
        // A new process does not know what an earlier one switched on; once more does no harm.
        guard !isResumed || !isEnabled, let agreement = await session.agreement else { return }
        enabled.withLock { $0 = false }
        if !agreement.inlineFeatures.contains(Carbon.namespace), try await !enable(in: session) { return }
        enabled.withLock { $0 = true }
    }

    public func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
        guard case .message(let message) = stanza, Carbon.isClaimed(by: message) else { return .pass(stanza) }
        guard let address = await session.address, let carbon = Carbon(in: message, for: address) else { return .drop }
        await onCarbon?(carbon)
        return .pass(stanza)
    }

    /// Not asked for before: what is sent behind this finds the copies switched on, however long the answer takes.
    private func enable(in session: Session) async throws(ClientError) -> Bool {
        do throws(ClientError) {
            _ = try await session.request(EnableCarbons(), whenQueued: { session.releaseFollowers() })
            return true
        } catch {
            switch error.stanzaError?.condition {
            // A server that cannot send copies is no failure (§4, §5).
            case .serviceUnavailable?, .featureNotImplemented?: return false
            default: throw error
            }
        }
    }
}

/// Switches the copies on for this session (§4).
struct EnableCarbons: IQRequest, Equatable {
    typealias Response = EmptyResponse
    static let name = XMLName("enable", Carbon.namespace)
    static let iqType = IQ.Kind.set

    init() {}

    init(from element: XMLElement) throws(XMLDecodingError) { try element.requireName(Self.name) }

    func encode(to writer: inout XMLWriter) { writer.element(Self.name) }
}
