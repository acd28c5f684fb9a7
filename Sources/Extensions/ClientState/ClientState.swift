internal import XMLStreaming
public import XMPPClient
internal import XMPPStream

/// Tells the server whether anybody looks (XEP-0352 Client State Indication), so that it can hold back what can wait and
/// a radio can rest.
///
/// ```
/// C: <inactive xmlns='urn:xmpp:csi:0'/>
/// ```
///
/// The server forgets the state with each connection (§4.2), so the extension says it again after each login and each
/// resumption. Nothing is queued: what was said without a connection is said when there is one. A server that does not
/// offer it is told nothing.
public actor ClientState: SessionExtension {
    /// What the server can know about the client.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// Somebody looks.
        case active
        /// Nobody does.
        case inactive
    }

    private static let namespace = "urn:xmpp:csi:0"

    /// The last that the program said.
    public private(set) var state = State.active
    /// Whether the server of the present connection wants to know.
    public private(set) var isOffered = false
    /// What the server of the present connection believes; each connection begins active.
    private var told = State.active
    private let session: Session

    public init(_ session: Session) { self.session = session }

    /// Nobody looks at what comes.
    public func inactive() async { await change(to: .inactive) }

    /// Somebody looks again. A server may send now what it has held back.
    public func active() async { await change(to: .active) }

    public func sessionStarted(_ session: Session, isResumed: Bool) async throws {
        isOffered = await session.agreement.map { Self.isOffered(in: $0.features) } ?? false
        told = .active
        await tell()
    }

    private func change(to state: State) async {
        self.state = state
        await tell()
    }

    private func tell() async {
        guard isOffered, told != state else { return }
        let state = state
        told = state
        // Without a connection there is nobody to tell; the next one begins with it.
        try? await session.send(element: Indication(state: state))
    }

    /// Offered among the features of the stream, or of the binding that goes along with the login (XEP-0386 §4.2).
    private static func isOffered(in features: StreamFeatures) -> Bool {
        features.offers(XMLName("csi", namespace)) || InlineOffer(features).bindFeatures.contains(namespace)
    }

    private struct Indication: XMLEncodable {
        var state: State

        func encode(to writer: inout XMLWriter) {
            writer.element(XMLName(state.rawValue, ClientState.namespace))
        }
    }
}
