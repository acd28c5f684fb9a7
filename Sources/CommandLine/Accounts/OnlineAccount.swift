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

    init(
        _ signIn: SignIn, in store: any LocalStore, _ profile: Profile, policy contacts: RosterPolicy = RosterPolicy()
    ) async throws {
        let address = signIn.address.bare
        let (id, queue) = try await store.write { store throws(StoreError) in
            let id = try store.addAccount(address)
            return (id, try store.sendQueue(of: id))
        }
        var configuration = signIn.lastingConfiguration
        if signIn.connection.isVerbose {
            let steps = ConnectionReport()
            configuration.add { steps.watch($0) }
        }
        var policy = ChatAccountPolicy()
        policy.contacts = contacts
        policy.programType = "console"
        // What the person has chosen holds for every program of the profile.
        let preferences = await profile.preferences().values
        policy.tellsReceipts = preferences.tellsReceipts
        policy.tellsTyping = preferences.tellsTyping
        media = try? await profile.openMedia(of: address, waiting: queue)
        account = ChatAccount(
            id, configuration: configuration, store: store, policy: policy, media: media,
            uploader: media.map { ProfileUploader(media: $0) })
        self.signIn = signIn
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
