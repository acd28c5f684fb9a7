internal import EntityInformation
internal import FileSharing
internal import Localization
internal import MessageFeatures
internal import Roster
internal import ServiceDiscovery
internal import TransportLayer
internal import XMPPClient

extension SignIn {
    /// The settings of a program that stays online: it outlives every network.
    var lastingConfiguration: ClientConfiguration {
        var configuration = configuration
        configuration.reconnection = .standard
        return configuration
    }

    /// The settings with what the programs of this package need: contacts, files, receipts, and what others may ask.
    ///
    /// - Parameter isLasting: whether the program stays online until the user ends it.
    func configuration(
        accepting policy: RosterPolicy = RosterPolicy(), name: String = "Hongyan", isLasting: Bool = false
    ) -> ClientConfiguration {
        var configuration = isLasting ? lastingConfiguration : configuration
        configuration.add { ServiceDiscovery($0, identity: .init(category: "client", type: "console", name: name)) }
        configuration.add { _ in EntityInformation() }
        configuration.add { Roster($0, policy: policy) }
        configuration.add { _ in DeliveryReceipts() }
        let trust = configuration.trust
        configuration.add { FileSharing($0, http: HTTPClient(configuration: .init(trust: trust))) }
        return configuration
    }
}

extension Session {
    /// The extensions that ``SignIn`` adds are there as long as the session lives.
    nonisolated func extensionInUse<Extension: SessionExtension>(
        _ type: Extension.Type
    ) throws(CommandError) -> Extension {
        guard let found = self[type] else {
            throw CommandError(.connection, localized("The connection to the server is over; try again."))
        }
        return found
    }

    /// Makes sure that the server has worked off everything sent so far: it answers in the order of what it gets.
    func settle() async throws(ClientError) {
        try await ping()
    }
}
