internal import Blocking
internal import ClientState
internal import EntityInformation
internal import FileSharing
internal import GroupChat
internal import MessageFeatures
internal import MessageHistory
internal import Profiles
internal import PublishSubscribe
internal import Roster
internal import ServiceDiscovery
internal import TransportLayer
internal import XMPPClient

extension ClientConfiguration {
    /// What a session tells when it starts, and whether it is resumed.
    typealias Notice = @Sendable (_ session: Session, _ isResumed: Bool) async -> Void

    /// The same with the store, the plan and the extensions of an account.
    ///
    /// - Parameters:
    ///   - rosterFetched: called when the contact list was asked for, which must come before presence is sent.
    ///   - extensionsStarted: called when all extensions have started with a session.
    func serving(
        _ context: AccountContext, rosterFetched: @escaping Notice, extensionsStarted: @escaping Notice
    ) -> ClientConfiguration {
        var configuration = self
        let (policy, recorder) = (context.policy, context.recorder)
        // What came while nobody was here is fetched from the archive, so the server need not keep it apart.
        configuration.negotiation = .forArchiveReaders
        configuration.store = recorder
        // Messages can be queued offline, so starting without a connection is normal.
        configuration.reconnection.retriesFirstLogin = true
        // The first: the others see what was read and opened before it was stored.
        configuration.add { _ in recorder.received }
        configuration.add {
            ServiceDiscovery(
                $0, identity: .init(category: "client", type: policy.programType, name: policy.programName))
        }
        configuration.add { _ in EntityInformation() }
        let people = PeopleDirectory(people: recorder.people, store: context.store, account: context.id)
        configuration.add { _ in people }
        configuration.add { Roster($0, policy: policy.contacts) { await recorder.rememberedPresences() } }
        configuration.add { _ in RosterNotice(fetched: rosterFetched) }
        configuration.add { _ in DeliveryReceipts { context.policy.tellsReceipts } }
        configuration.add { _ in DisplayedMarkers { context.policy.tellsReceipts } }
        configuration.add { _ in MessageKinds.all }
        configuration.add { _ in OriginIdentifiers() }
        configuration.add { _ in Carbons() }
        configuration.add { MessageArchive($0) }
        configuration.add { ClientState($0, settlingTime: policy.settlingTime) }
        configuration.add { PublishSubscribe($0) }
        configuration.add { DisplayedPositions($0) }
        configuration.add { Blocking($0) }
        configuration.add { Profiles($0) }
        configuration.add { GroupChat($0, places: recorder.places) }
        configuration.add { Bookmarks($0, entersAutomatically: false) }
        let trust = configuration.trust
        configuration.add { FileSharing($0, http: HTTPClient(configuration: .init(trust: trust))) }
        // The last: when its turn comes, what the others know is of this session and not of the one before.
        configuration.add { _ in StartNotice(started: extensionsStarted) }
        return configuration
    }
}

/// Tells when the contact list was asked for: presence is sent behind it (RFC 6121 §2.2), so that what the presence of others
/// brings is known to be from contacts.
struct RosterNotice: SessionExtension {
    let fetched: @Sendable (_ session: Session, _ isResumed: Bool) async -> Void

    func sessionStarted(_ session: Session, isResumed: Bool) async throws {
        await fetched(session, isResumed)
    }
}

/// Tells when the extensions before it have begun with a session.
struct StartNotice: SessionExtension {
    let started: @Sendable (_ session: Session, _ isResumed: Bool) async -> Void

    func sessionStarted(_ session: Session, isResumed: Bool) async throws {
        await started(session, isResumed)
    }
}
