internal import Blocking
internal import ClientState
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
    /// The same with the store, the plan and the extensions of an account.
    ///
    /// - Parameters:
    ///   - showPresence: called when the contact list was asked for, which must come before presence is sent.
    ///   - beginHistory: called behind the presence and the request for copies.
    ///   - returnToRooms: called when no room is believed any more to have only an earlier session inside.
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
        configuration.add { Profiles($0) }
        configuration.add { GroupChat($0, places: recorder.places) }
        if let encryption = context.encryption {
            configuration.add { OMEMODevices($0, using: encryption.cryptography) }
        }
        configuration.add { Bookmarks($0, entersAutomatically: false) }
        let trust = configuration.trust
        configuration.add { FileSharing($0, http: HTTPClient(configuration: .init(trust: trust))) }
        configuration.add { _ in HistoryStart(action: beginHistory) }
        configuration.add { _ in RoomsStart(action: returnToRooms) }
        return configuration
    }
}
