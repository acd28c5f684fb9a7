internal import XMLStreaming
public import XMPPClient
internal import XMPPStream

/// Informs the server whether the program is in use (XEP-0352 Client State Indication), so that it can delay
/// unimportant stanzas and save energy.
///
/// ```
/// C: <inactive xmlns='urn:xmpp:csi:0'/>
/// ```
///
/// The server forgets the state with each connection (§4.2), so the extension sends it again after each login and each
/// resumption. Nothing is queued: a state set while offline is sent after the next connection. Nothing is sent to a
/// server that does not offer the feature.
///
/// Servers delay presence for an inactive client, including the presence of contacts after login. A program that shows
/// who is online therefore starts each session as active, for as long as ``init(_:settlingTime:)`` says.
///
/// Prosody (0.12, 13.0) stops writing when it reads `<inactive/>`, also answers that it has not written yet, until it has
/// something important to write. So a question follows, whose answer is important:
///
/// ```
/// C: <message/><r/><inactive xmlns='urn:xmpp:csi:0'/><r/>
/// S: <a h='1'/><a h='1'/>
/// ```
public final actor ClientState: SessionExtension {
    /// The state of the client.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// The program is in use.
        case active
        /// The program is not in use.
        case inactive
    }

    private static let namespace = "urn:xmpp:csi:0"

    /// The state that the program set last.
    public private(set) var state = State.active
    /// Whether the server of the current connection supports the feature.
    public private(set) var isOffered = false
    /// The state that the server of the current connection assumes; each connection starts active.
    private var announced = State.active
    private let session: Session
    private let settlingTime: Duration
    /// Ends the time in which a new session stays active.
    private var settling: Task<Void, Never>?

    /// - Parameter settlingTime: how long a new session stays active after login, so that the server sends the presence
    ///   of contacts first. A resumed session has it already.
    public init(_ session: Session, settlingTime: Duration = .zero) {
        self.session = session
        self.settlingTime = settlingTime
    }

    /// Sets the state to inactive.
    public func inactive() async { await change(to: .inactive) }

    /// Sets the state to active. The server may then send what it has delayed.
    public func active() async { await change(to: .active) }

    public func sessionStarted(_ session: Session, isResumed: Bool) async throws {
        isOffered = await session.agreement.map { Self.isOffered(in: $0.features) } ?? false
        announced = .active
        if !isResumed { settle() }
        await announce()
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
        // Another session may have started in the meantime, with its own delay.
        guard !Task.isCancelled else { return }
        settling = nil
        await announce()
    }

    private func change(to state: State) async {
        self.state = state
        await announce()
    }

    private func announce() async {
        guard isOffered, announced != state, state == .active || settling == nil else { return }
        let state = state
        announced = state
        // Without a connection nothing is sent; the next connection sends it.
        try? await session.send(element: Indication(state: state), expectsAnswer: state == .inactive)
    }

    /// Offered in the stream features, or in those of the inline binding (XEP-0386 §4.2).
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
