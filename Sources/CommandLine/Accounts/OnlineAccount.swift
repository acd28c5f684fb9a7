internal import Automation
internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import Roster
internal import UserProfile
internal import XMPPClient

/// A running account of the command line, on the store of a profile, signed in according to the options.
struct OnlineAccount: Sendable {
    let account: ChatAccount
    /// The files to upload; `nil` if uploads are impossible.
    let media: MediaCache?
    private let signIn: SignIn
    /// Lets other programs send with this account.
    private let socket: ProfileSocket?

    /// - Parameters:
    ///   - isLasting: whether it stays online until the user ends it, and joins its rooms; otherwise it is used for a
    ///     single command.
    ///   - contacts: the contact requests that are accepted.
    ///   - listener: reports received events, also to other programs.
    ///   - isInteractive: whether the user looks at the conversations: the newest messages come first, and the user is asked
    ///     about files that contacts send directly.
    ///   - isOffered: whether other programs can use this account through a socket of its own.
    init(
        _ signIn: SignIn, in store: any LocalStore, _ profile: Profile, isLasting: Bool = false,
        policy contacts: RosterPolicy = RosterPolicy(), listener: Listener? = nil,
        isInteractive: Bool = false, isOffered: Bool = true
    ) async throws {
        let address = signIn.address.bare
        let (id, queue) = try await store.write { store throws(StoreError) in
            let id = try store.addAccount(address)
            return (id, try store.sendQueue(of: id))
        }
        var configuration = isLasting ? signIn.lastingConfiguration : signIn.configuration
        configuration.trust = signIn.noting(configuration.trust)
        if signIn.connection.isVerbose {
            let steps = ConnectionReport()
            configuration.add { steps.watch($0) }
        }
        var policy = ChatAccountPolicy()
        policy.contacts = contacts
        policy.programType = "console"
        // Programs that read what happens handle messages as they were sent.
        if isLasting, !isInteractive { policy.history.order = .oldestFirst }
        policy.entersRooms = isLasting && listener?.joinsRooms != false
        if let listener {
            policy.hear = { await listener.hear($0) }
            // The server delivers messages that arrived meanwhile, so that they are reported.
            if !listener.isSilent { policy.negotiation = .standard }
        }
        // The preferences of the user apply to every program of the profile.
        let preferences = await profile.preferences().values
        policy.tellsReceipts = preferences.tellsReceipts
        policy.tellsTyping = preferences.tellsTyping
        if let file = try? AccountFile() {
            policy.encryption = EncryptionKeys(account: address, profile: profile).settings(file)
        }
        policy.caches = profile.caches(of: address)
        media = try? await profile.openMedia(of: address, waiting: queue)
        policy.transfersFilesDirectly = isInteractive && media != nil
        let account = ChatAccount(
            id, configuration: configuration, store: store, policy: policy, media: media,
            uploader: media.map { ProfileUploader(media: $0) })
        self.account = account
        self.signIn = signIn
        // A command that runs only for a moment is not available for conversations.
        if !isLasting { await account.setPresence(OwnPresence(isHidden: true)) }
        listener?.attach(account)
        // The socket is there before the connection is.
        var methods = [
            ProfileMethod.send(isStarting: true) { $0 == address ? account : nil },
            .keys(isStarting: true) { $0 == address ? account : nil },
        ]
        if let listener {
            methods.append(listener.method)
            let service = AutomationService(profile, store, isStarting: true) { [account] }
            methods += service.methods.map(\.profileMethod)
        }
        socket = isOffered ? ProfileSocket(profile, methods) : nil
    }

    /// Connects while `body` uses the account.
    ///
    /// - Parameter cause: why an error of `body` says that there is no connection.
    @inline(never)
    static func whileConnected<Result: Sendable>(
        _ signIn: SignIn, in store: any LocalStore, _ profile: Profile,
        causeOf cause: (any Error) -> ClientError?, _ body: (ChatAccount) async throws -> Result
    ) async throws -> Result {
        let online = try await OnlineAccount(signIn, in: store, profile)
        let connection = Task { try await online.run() }
        do {
            let result = try await body(online.account)
            connection.cancel()
            _ = await connection.result
            await online.close()
            return result
        } catch {
            // The end of the session describes a problem with a password or a certificate.
            let isForPerson = cause(error)?.isForPerson == true
            if !isForPerson { connection.cancel() }
            let end = await connection.result
            await online.close()
            if isForPerson { try end.get() }
            throw error
        }
    }

    /// Closes the profile.
    func close() async {
        socket?.close()
        await media?.close()
    }

    /// Ends ``run(missingAccount:)`` and leaves the session on the server, for the next process.
    func suspend() async {
        socket?.close()
        await account.suspend()
    }

    /// Stays online until the task is cancelled, or the server refuses the connection permanently.
    func run(missingAccount: SignIn.MissingAccount = .fail) async throws {
        // Programs that send through this account continue by themselves when it ends. Otherwise they would be told that there is no
        // connection.
        try await withTaskCancellationHandler {
            try await connect(missingAccount)
        } onCancel: {
            socket?.close()
        }
    }

    private func connect(_ missingAccount: SignIn.MissingAccount) async throws {
        do {
            try await account.run()
        } catch let error as ClientError where error.isWrongPassword && missingAccount == .register {
            try await signIn.registerMissingAccount()
            try await account.run()
        } catch let error as ClientError where error.isWrongPassword {
            throw try await signIn.refused(error)
        } catch let error as ClientError {
            throw signIn.explained(error)
        }
    }

    /// Waits until the first attempt to connect has succeeded or failed.
    func waitForAnswer() async {
        let events = account.events()
        if await account.connectionState.isOnline { return }
        for await event in events {
            switch event {
            case .connection(.online), .connection(.offline(.some, _)): return
            default: break
            }
        }
    }
}
