internal import AdHocCommands
internal import Blocking
internal import ClientState
internal import DirectTransfer
internal import EndToEndEncryption
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
    /// The configuration with the store, the plan and the extensions of an account.
    ///
    /// - Parameters:
    ///   - showPresence: called when the roster was requested, which must precede presence.
    ///   - beginHistory: called after sending presence and the request for carbons.
    ///   - returnToRooms: called when `GroupChat` has reset the occupancies of an earlier session.
    func serving(
        _ context: AccountContext, showPresence: @escaping StartAction, beginHistory: @escaping StartAction,
        returnToRooms: @escaping StartAction
    ) -> ClientConfiguration {
        var configuration = self
        let (policy, recorder) = (context.policy, context.recorder)
        configuration.negotiation = policy.negotiation
        configuration.store = recorder
        // Messages can be queued offline, so starting without a connection is normal.
        configuration.reconnection.retriesFirstLogin = true
        // The first interceptor: the others see messages as they were opened and stored.
        configuration.add { _ in recorder.openedStanzas }
        configuration.add {
            ServiceDiscovery(
                $0, identity: .init(category: "client", type: policy.programType, name: policy.programName),
                cache: policy.caches.capabilities)
        }
        configuration.add { _ in EntityInformation() }
        let people = PeopleDirectory(people: recorder.people, store: context.store, account: context.id)
        configuration.add { _ in people }
        configuration.add {
            Roster(
                $0, policy: policy.contacts, remembered: { await recorder.rememberedPresences() },
                cache: policy.caches.contacts)
        }
        configuration.add { _ in PresenceStart(action: showPresence) }
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
        // It offers nothing; it executes the commands of others.
        configuration.add { AdHocCommands($0) }
        configuration.add { Profiles($0) }
        configuration.add { GroupChat($0, occupancies: recorder.occupancies) }
        if let encryption = context.encryption {
            configuration.add { OMEMODevices($0, using: encryption.parts.context.cryptography) }
        }
        configuration.add { Bookmarks($0, joinsAutomatically: false) }
        configuration.add { FileSharing($0) }
        if policy.transfersFilesDirectly {
            configuration.add { DirectTransfer($0, policy: .betweenPeople) }
        }
        configuration.add { _ in HistoryStart(action: beginHistory) }
        configuration.add { _ in RoomsStart(action: returnToRooms) }
        return configuration
    }
}

extension DirectTransferPolicy {
    /// Transfers that people offer and answer.
    fileprivate static var betweenPeople: DirectTransferPolicy {
        var policy = DirectTransferPolicy()
        // Somebody may be away from the screen for a while.
        policy.answerTimeout = .seconds(3600)
        // Offers that wait for their answer count as well.
        policy.maximumTransfers = 32
        policy.maximumSize = UInt64(AttachmentFetcher.sizeLimit)
        return policy
    }
}

/// An action of an account at the start of a session, as one of its extensions.
typealias StartAction = @Sendable (_ session: Session, _ isResumed: Bool) async -> Void

/// Sends presence after the roster request (RFC 6121 §2.2), so that incoming presence is known to come from contacts.
struct PresenceStart: SessionExtension {
    let action: StartAction

    var startsAfter: [any SessionExtension.Type] { [Roster.self] }

    func sessionStarted(_ session: Session, isResumed: Bool) async throws { await action(session, isResumed) }
}

/// Requests missed messages after sending presence and enabling carbons, so that messages that are not yet in the
/// archive arrive live. It does not wait for a response.
struct HistoryStart: SessionExtension {
    let action: StartAction

    var startsAfter: [any SessionExtension.Type] { [PresenceStart.self, Carbons.self] }

    func sessionStarted(_ session: Session, isResumed: Bool) async throws { await action(session, isResumed) }
}

/// Joins the rooms again after `GroupChat` has reset the occupancies of an earlier session.
struct RoomsStart: SessionExtension {
    let action: StartAction

    var startsAfter: [any SessionExtension.Type] { [GroupChat.self] }

    func sessionStarted(_ session: Session, isResumed: Bool) async throws { await action(session, isResumed) }
}
