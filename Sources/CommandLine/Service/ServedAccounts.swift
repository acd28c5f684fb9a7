internal import ChatEngine
internal import ChatStore
internal import Localization
internal import TerminalApp
internal import UserProfile
internal import XMPPAddress
internal import XMPPClient

/// The accounts that `serve` keeps online: the one of the options, or all that the user has signed in to.
struct ServedAccounts: Sendable {
    private let accounts: [OnlineAccount]
    private let listener: Listener?

    init(_ invocation: Invocation, in store: SQLiteStore) async throws {
        let availability = try AvailabilityOptions(invocation.options)
        let file = try CommandError.inProfile { () throws(ProfileFailure) in try AccountFile() }
        var addresses = file.accounts.map(\.address)
        if let address = invocation.connection.address { addresses = [address.bare] }
        guard !addresses.isEmpty else {
            throw CommandError.usage(
                localized("There is no account yet; name one with --jid, or run `hongyan login` first."))
        }
        var accounts: [OnlineAccount] = []
        var listener: Listener?
        for address in addresses {
            var connection = invocation.connection
            connection.address = invocation.connection.address ?? address
            let signIn = try await SignIn(connection)
            // Another program can listen to one account only.
            let own = Listener(folder: try FileFolder(account: address, in: invocation.profile))
            if addresses.count == 1 { listener = own }
            let online = try await OnlineAccount(
                signIn, in: store, invocation.profile, isLasting: true, policy: availability.policy, listener: own,
                isOffered: false)
            let presence = availability.presence
            await online.account.setPresence(OwnPresence(show: presence.show, status: presence.status))
            accounts.append(online)
        }
        self.accounts = accounts
        self.listener = listener
    }

    var all: [ChatAccount] { accounts.map(\.account) }

    /// What other commands may ask of this program, beside the methods for programs.
    var methods: [ProfileMethod] {
        let all = all
        let find = { @Sendable (address: JID) in all.first { $0.address == address } }
        return [.send(isStarting: true, find), .keys(isStarting: true, find)] + (listener.map { [$0.method] } ?? [])
    }

    /// Stays online with all accounts until ``suspend()``, until the task is cancelled, or until every server has rejected its account.
    ///
    /// - Throws: the reason of the last account.
    func run() async throws {
        try await withThrowingTaskGroup(of: CommandError?.self) { group in
            for online in accounts {
                group.addTask {
                    do {
                        try await online.run()
                        return nil
                    } catch {
                        return CommandError(error)
                    }
                }
            }
            if let listener {
                group.addTask {
                    await listener.fetchFiles(); return nil
                }
            }
            var last: CommandError?
            var left = accounts.count
            while left > 0, let error = try await group.next() {
                left -= 1
                guard let error else { continue }
                last = error
                if left > 0 { StandardOutput.report(error.description, .error) }
            }
            group.cancelAll()
            if let last { throw last }
        }
    }

    /// Disconnects all accounts and leaves their sessions on the servers, for the next process.
    func suspend() async {
        await withDiscardingTaskGroup { group in
            for account in all { group.addTask { await account.suspend() } }
        }
    }

    /// Closes the media of the accounts, after ``run()``.
    func release() async {
        for account in accounts { await account.close() }
    }
}
