internal import PublishSubscribe
internal import XMLStreaming
public import XMPPAddress
public import XMPPClient

/// Publishes the mood, activity, music and location of the user, and reports those of contacts (XEP-0107, XEP-0108,
/// XEP-0118, XEP-0080 over XEP-0163).
///
///     configuration.add { UserStateEvents($0, interests: [.mood, .tune]) }
///
/// Needs the extension `PublishSubscribe`. Servers send only the kinds that the program is interested in, and only those
/// of contacts and of the account itself are reported (`Session.follows(_:)`).
public final actor UserStateEvents: SessionExtension {
    /// A kind of state.
    public enum Kind: Sendable, Hashable, CaseIterable {
        case mood, activity, tune, location

        /// The node of the personal events.
        var node: String {
            switch self {
            case .mood: UserMood.name.namespace
            case .activity: UserActivity.name.namespace
            case .tune: UserTune.name.namespace
            case .location: UserLocation.name.namespace
            }
        }
    }

    /// A state that an account has published.
    public enum State: Sendable, Hashable {
        case mood(UserMood)
        case activity(UserActivity)
        case tune(UserTune)
        case location(UserLocation)

        var kind: Kind {
            switch self {
            case .mood: .mood
            case .activity: .activity
            case .tune: .tune
            case .location: .location
            }
        }
    }

    /// A change of a state.
    public struct Change: Sendable, Hashable {
        public var account: JID
        public var kind: Kind
        /// `nil` if the account does not tell any more.
        public var state: State?
    }

    /// The number of states that are stored; accounts have few contacts that publish any.
    private static let limit = 4096

    private struct Key: Hashable {
        var account: JID
        var kind: Kind
    }

    private nonisolated let session: Session
    private nonisolated let interests: Set<Kind>
    private nonisolated let channel = EventChannel<Change>()
    private var states: [Key: State] = [:]

    public init(_ session: Session, interests: Set<Kind>) {
        self.session = session
        self.interests = interests
    }

    /// The events are only useful with the extension that reads them.
    public nonisolated var features: [String] {
        session[PublishSubscribe.self] == nil ? [] : interests.map { PublishSubscribe.interest(in: $0.node) }
    }

    /// The changes from now on.
    public nonisolated func changes() -> AsyncStream<Change> { channel.stream() }

    /// The last state that an account has published, if it is known.
    public func state(_ kind: Kind, of account: JID) -> State? { states[Key(account: account.bare, kind: kind)] }

    /// Publishes a state for everyone who may see our personal events.
    public func publish(_ state: State) async throws(ProfileError) {
        switch state {
        case .mood(let mood): try await publish(mood, .mood)
        case .activity(let activity): try await publish(activity, .activity)
        case .tune(let tune): try await publish(tune, .tune)
        case .location(let location): try await publish(location, .location)
        }
    }

    /// Withdraws a state: an empty element (XEP-0107 §2.3, XEP-0118 §2.3).
    public func clear(_ kind: Kind) async throws(ProfileError) {
        let name: XMLName =
            switch kind {
            case .mood: UserMood.name
            case .activity: UserActivity.name
            case .tune: UserTune.name
            case .location: UserLocation.name
            }
        try await publish(XMLElement(name), kind)
    }

    private func publish(_ payload: some XMLEncodable, _ kind: Kind) async throws(ProfileError) {
        guard let data = session[PublishSubscribe.self] else {
            throw ProfileError(.refused, "States need the extension PublishSubscribe in the configuration.")
        }
        do throws(ClientError) {
            try await data.publish(payload, id: "current", in: kind.node)
        } catch {
            throw ProfileError(error)
        }
    }

    public nonisolated func run(in session: Session) async {
        guard let data = session[PublishSubscribe.self] else { return }
        for await notice in data.notices() where await session.follows(notice.service) { await noticed(notice) }
    }

    public func sessionEnded(_ session: Session) async { channel.finish() }

    private func noticed(_ notice: PublishSubscribeNotice) {
        guard let kind = interests.first(where: { $0.node == notice.event.node }) else { return }
        let state: State?
        switch notice.event {
        case .items(_, let published, let retracted):
            guard !published.isEmpty || !retracted.isEmpty else { return }
            state = published.last?.payload.flatMap { Self.state(kind, $0) }
        case .purged, .removed: state = nil
        case .configured, .subscription: return
        }
        let key = Key(account: notice.service, kind: kind)
        guard states[key] != state, states[key] != nil || states.count < Self.limit else { return }
        states[key] = state
        channel.post(Change(account: notice.service, kind: kind, state: state))
    }

    /// - Returns: `nil` for an empty element, which states nothing, and for an invalid one.
    private static func state(_ kind: Kind, _ element: XMLElement) -> State? {
        guard element.firstChild != nil else { return nil }
        return switch kind {
        case .mood: (try? UserMood(from: element)).map(State.mood)
        case .activity: (try? UserActivity(from: element)).map(State.activity)
        case .tune: (try? UserTune(from: element)).map(State.tune)
        case .location: (try? UserLocation(from: element)).map(State.location)
        }
    }
}
