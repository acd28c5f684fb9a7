internal import ChatEngine
internal import ChatStore
internal import Localization
internal import SASLMechanisms
internal import TransportLayer
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStream

/// An account of a ``ChatHome`` with everything that belongs to it while the program runs: it stays online until it is
/// disabled, or the server has rejected it permanently.
@MainActor
final class RunningAccount {
    let account: ChatAccount
    let media: MediaCache?
    /// Certificates trusted until the program ends.
    var trustedForNow: Set<[UInt8]> = []

    private let list: AccountList
    private let storage: any AccountStorage
    private let prepare: (inout ClientConfiguration) -> Void
    /// Tasks that end with the program.
    private var following: [Task<Void, Never>] = []
    /// Stays online; `nil` when disabled, or after the server has rejected the account permanently.
    private var life: Task<Void, Never>?

    /// - Parameters:
    ///   - list: shows the state of the connection.
    ///   - prepare: changes the configuration of each connection.
    init(
        _ account: ChatAccount, media: MediaCache?, list: AccountList, storage: any AccountStorage,
        prepare: @escaping (inout ClientConfiguration) -> Void
    ) {
        self.account = account
        self.media = media
        self.list = list
        self.storage = storage
        self.prepare = prepare
    }

    private var id: AccountID { account.id }

    /// Runs a task until the program ends.
    func follow(_ work: @escaping @MainActor () async -> Void) { following.append(Task { await work() }) }

    /// Tells others what the user allows.
    func apply(_ preferences: PreferenceValues) {
        account.setDisclosure(receipts: preferences.tellsReceipts, typing: preferences.tellsTyping)
    }

    // MARK: Online and offline

    /// Stays online from now on.
    func goOnline() {
        guard life == nil else { return }
        life = Task { await self.live() }
    }

    /// Connects now instead of waiting for the next attempt; also after the server rejected the account.
    func connectNow() async {
        if life == nil { goOnline() } else { await account.reconnectNow() }
    }

    /// Disconnects; returns when that is done.
    func goOffline() async {
        let life = life
        self.life = nil
        life?.cancel()
        await life?.value
    }

    /// Disconnects and releases everything.
    func end() async {
        await goOffline()
        for task in following { task.cancel() }
        for task in following { await task.value }
        following = []
        await media?.close()
    }

    private func live() async {
        let evaluations = CertificateInquiry.Record()
        do {
            guard let configuration = try await configuration(noting: evaluations) else {
                list.show(.password(isRejected: false), of: id)
                ended(nil)
                return
            }
            list.show(AccountNeed?.none, of: id)
            await account.use(configuration)
            try await account.run()
            ended(nil)
        } catch let error as ClientError {
            // Cancelled when the user goes offline.
            guard !Task.isCancelled else { return }
            switch error.streamFailure?.code {
            case .credentialsRejected?, .credentialsExpired?: list.show(.password(isRejected: true), of: id)
            case .certificateRejected?:
                list.show(
                    .certificate(
                        evaluations.last.map { Wording.failure($0) }
                            ?? localized("The server's certificate was not accepted.")), of: id)
            case .noAcceptableMechanism? where error.streamFailure?.saslError?.meansDowngrade == true:
                list.show(.downgrade, of: id)
            default: break
            }
            ended(error)
        } catch {
            guard !Task.isCancelled else { return }
            list.show(problem: Wording.failure(any: error), of: id)
            ended(nil)
        }
    }

    private func ended(_ error: ClientError?) {
        guard !Task.isCancelled else { return }
        life = nil
        list.show(.offline(reason: error, nextAttempt: nil), of: id)
    }

    /// `nil` without a password.
    private func configuration(
        noting evaluations: CertificateInquiry.Record
    ) async throws(AccountStorageError) -> ClientConfiguration? {
        let address = account.address
        guard let password = try await storage.password(of: address) else { return nil }
        let access = try await storage.accesses().first { $0.address == address } ?? AccountAccess(address: address)
        var configuration = ClientConfiguration(address: address, password: password)
        // The user is not asked in the background; the reason for a rejection is recorded for the row of the account.
        let isTrustLimited = !access.trustedCertificates.isEmpty || !trustedForNow.isEmpty
        let question: TrustPolicy.Question = { evaluation in
            evaluations.note(evaluation)
            return false
        }
        access.apply(to: &configuration, trusted: trustedForNow, asking: isTrustLimited ? question : nil)
        if let installation = await storage.installation(of: address) {
            configuration.userAgent = installation.userAgent
            configuration.fastToken = installation.token
            configuration.mechanisms.previousMechanism = installation.previousMechanism
            configuration.signInStore = installation.signInStore
        }
        configuration.reconnection = .standard
        prepare(&configuration)
        return configuration
    }

    // MARK: Files and invitations

    /// Downloads the files of messages from servers that the account trusts; `nil` if its media cannot be stored.
    func fetcher() async -> AttachmentFetcher? {
        guard let media else { return nil }
        let access = (try? await storage.accesses())?.first { $0.address == account.address }
        var configuration = ClientConfiguration(address: account.address, password: "")
        (access ?? AccountAccess(address: account.address)).apply(
            to: &configuration, trusted: trustedForNow, asking: nil)
        return AttachmentFetcher(
            store: account.store, media: media, transfers: configuration.http, protection: account.protection,
            offers: account.directOffers)
    }

    /// Adds the contact of an invitation as soon as the account is online (XEP-0379 §4).
    func accept(_ invitation: AccountInvitation) {
        guard let inviter = invitation.contact else { return }
        let token = invitation.token
        follow { [account] in
            let events = account.events()
            if await account.connectionState.isOnline {
                await account.contacts.acceptInvitation(of: inviter, token: token)
                return
            }
            for await case .connection(.online) in events {
                await account.contacts.acceptInvitation(of: inviter, token: token)
                return
            }
        }
    }
}
