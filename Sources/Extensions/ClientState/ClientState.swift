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
///
/// Servers hold back presence from whom nobody looks at, also that with which they answer the first of a session. A program that
/// shows who is there therefore begins each session active, for as long as ``init(_:settlingTime:)`` says.
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
    private let settlingTime: Duration
    /// Ends the time in which a new session stays active.
    private var settling: Task<Void, Never>?

    /// - Parameter settlingTime: how long after a login the server is not told that nobody looks, so that it says first who is
    ///   there. A session that is resumed knows that already.
    public init(_ session: Session, settlingTime: Duration = .zero) {
        self.session = session
        self.settlingTime = settlingTime
    }

    /// Nobody looks at what comes.
    public func inactive() async { await change(to: .inactive) }

    /// Somebody looks again. A server may send now what it has held back.
    public func active() async { await change(to: .active) }

    public func sessionStarted(_ session: Session, isResumed: Bool) async throws {
        isOffered = await session.agreement.map { Self.isOffered(in: $0.features) } ?? false
        told = .active
        if !isResumed { settle() }
        await tell()
    }

    public func sessionEnded(_ session: Session) async { settling?.cancel() }

    private func settle() {
        settling?.cancel()
        settling = nil
        guard settlingTime > .zero else { return }
        settling = Task { [weak self, settlingTime] in
            try? await Task.sleep(for: settlingTime)
            await self?.settled()
        }
    }

    private func settled() async {
        // Another session may have begun meanwhile, with a time of its own.
        guard !Task.isCancelled else { return }
        settling = nil
        await tell()
    }

    private func change(to state: State) async {
        self.state = state
        await tell()
    }

    private func tell() async {
        guard isOffered, told != state, state == .active || settling == nil else { return }
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
