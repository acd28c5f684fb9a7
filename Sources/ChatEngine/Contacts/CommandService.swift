public import AdHocCommands
public import DataForms
internal import ServiceDiscovery
public import XMPPAddress
public import XMPPClient
internal import XMPPStanzas

/// The commands that servers, services and bots offer to an account (XEP-0050 Ad-Hoc Commands).
///
///     let offers = try await account.commands.offers(of: bot)
///     var stage = try await account.commands.start(offers[0], language: "en")
///     while !stage.isFinished { stage = try await account.commands.perform(.complete, answering: form, in: stage) }
public struct CommandService: Sendable {
    /// A command that the account may execute.
    public struct Offer: Sendable, Hashable, Identifiable {
        /// The address that executes it: of a contact one of its devices.
        public let responder: JID
        public let node: String
        /// The label for a menu.
        public let name: String

        public var id: Self { self }
    }

    /// Devices of one contact that are asked; a person has fewer, and a bot one.
    private static let deviceLimit = 8
    /// Commands of one address that are offered; a server has about 50 for its administrator.
    private static let offerLimit = 200
    /// In bytes of UTF-8, of a node or a name. A person chooses no command with a longer one.
    private static let nameLimit = 1_024

    private let context: AccountContext
    private let contacts: ContactService

    init(_ context: AccountContext, contacts: ContactService) {
        self.context = context
        self.contacts = contacts
    }

    private func commands() throws(ClientError) -> AdHocCommands {
        guard let commands = context.session?[AdHocCommands.self] else { throw .notConnected }
        return commands
    }

    /// The commands of an address: of a contact those of its devices that are online, and of the bare address, at which
    /// a bot of a component answers.
    ///
    /// - Returns: an empty list if nothing at this address knows commands.
    /// - Throws: `ClientError`, if there is no connection or no answer at all.
    public func offers(of address: JID) async throws(ClientError) -> [Offer] {
        let commands = try commands()
        var responders = [address]
        if address.local != nil, address.isBare {
            responders += await contacts.devices(of: address).prefix(Self.deviceLimit).map(\.address)
        }
        let answers = await withTaskGroup(of: (Int, Result<[Offer], ClientError>).self) { group in
            for (index, responder) in responders.enumerated() {
                group.addTask {
                    do throws(ClientError) {
                        let items = try await commands.commands(of: responder)
                        let usable = items.lazy.filter { item in
                            item.node.utf8.count <= Self.nameLimit && item.name.utf8.count <= Self.nameLimit
                        }.prefix(Self.offerLimit)
                        return (
                            index, .success(usable.map { Offer(responder: responder, node: $0.node, name: $0.name) })
                        )
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            var all: [(Int, Result<[Offer], ClientError>)] = []
            for await answer in group { all.append(answer) }
            return all.sorted { $0.0 < $1.0 }.map(\.1)
        }
        let offers = answers.flatMap { (try? $0.get()) ?? [] }
        for case .failure(let error) in answers where offers.isEmpty && !Self.meansNone(error) { throw error }
        return offers
    }

    /// Whether an error says that nothing at the address offers commands to this account.
    private static func meansNone(_ error: ClientError) -> Bool {
        switch error.stanzaError?.condition {
        case .serviceUnavailable?, .featureNotImplemented?, .itemNotFound?, .notAllowed?, .forbidden?, .notAuthorized?,
            .notAcceptable?, .recipientUnavailable?, .subscriptionRequired?:
            true
        default: false
        }
    }

    /// Begins a command.
    ///
    /// - Parameter language: the language of its sentences, as an RFC 5646 tag.
    public func start(_ offer: Offer, language: String?) async throws(ClientError) -> CommandStage {
        try await commands().start(offer.node, at: offer.responder, language: language)
    }

    /// Answers a question, returns to the one before, or cancels the command.
    public func perform(
        _ action: CommandAction, answering form: DataForm?, in stage: CommandStage
    ) async throws(ClientError) -> CommandStage {
        try await commands().perform(action, answering: form, in: stage)
    }
}
