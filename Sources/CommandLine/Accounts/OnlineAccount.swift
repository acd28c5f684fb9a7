internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import Roster
internal import UserProfile
internal import XMPPClient

/// An account of the command line at work on the store of a profile: signed in as the options say.
struct OnlineAccount: Sendable {
    let account: ChatAccount
    /// What waits for an upload; `nil` where there can be none.
    let media: MediaCache?
    private let signIn: SignIn
    /// Lets other programs send through the account meanwhile.
    private let socket: ProfileSocket?

    /// - Parameters:
    ///   - isLasting: it stays online until a person ends it, and is in its rooms; otherwise it comes for one thing.
    ///   - contacts: which contact requests are accepted.
    ///   - listener: reports what is heard, also to other programs.
    init(
        _ signIn: SignIn, in store: any LocalStore, _ profile: Profile, isLasting: Bool = false,
        policy contacts: RosterPolicy = RosterPolicy(), listener: Listener? = nil
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
        policy.entersRooms = isLasting && listener?.isSilent != false
        if let listener {
            policy.hear = { await listener.hear($0) }
            // The server delivers what came meanwhile, so that it is reported.
            if !listener.isSilent { policy.negotiation = .standard }
        }
        // What the person has chosen holds for every program of the profile.
        let preferences = await profile.preferences().values
        policy.tellsReceipts = preferences.tellsReceipts
        policy.tellsTyping = preferences.tellsTyping
        if let file = try? AccountFile() { policy.encryption = EncryptionKeys(account: address).settings(file) }
        media = try? await profile.openMedia(of: address, waiting: queue)
        let account = ChatAccount(
            id, configuration: configuration, store: store, policy: policy, media: media,
            uploader: media.map { ProfileUploader(media: $0) })
        self.account = account
        self.signIn = signIn
        // Nobody comes to talk for a moment only.
        if !isLasting { await account.setPresence(OwnPresence(isHidden: true)) }
        listener?.attach(account)
        var methods = [ProfileMethod.send { $0 == address ? account : nil }]
        if let listener { methods.append(listener.method) }
        socket = ProfileSocket(profile, methods)
    }

    /// Lets go of the profile.
    func close() async {
        socket?.close()
        await media?.close()
    }

    /// Stays online until the task is cancelled, or the server refuses for good.
    func run(missingAccount: SignIn.MissingAccount = .fail) async throws {
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

    /// Waits until the first attempt to connect has come to its end, in whichever way.
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
