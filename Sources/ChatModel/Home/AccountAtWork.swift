internal import ChatEngine
internal import ChatStore

/// One account of a ``ChatHome`` with what belongs to it as long as the program runs.
@MainActor
final class AccountAtWork {
    let account: ChatAccount
    let media: MediaCache?
    /// Certificates that the person trusts until the program ends.
    var trustedForNow: Set<[UInt8]> = []
    /// Shows the account in the lists.
    var following: [Task<Void, Never>] = []
    /// Stays online; `nil` while nobody wants that, or after the server has refused for good.
    var life: Task<Void, Never>?

    init(_ account: ChatAccount, media: MediaCache?) {
        self.account = account
        self.media = media
    }

    /// Says goodbye; returns when that is done.
    func goOffline() async {
        let life = life
        self.life = nil
        life?.cancel()
        await life?.value
    }

    func end() async {
        await goOffline()
        for task in following { task.cancel() }
        for task in following { await task.value }
        following = []
        await media?.close()
    }
}
