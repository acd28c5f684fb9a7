import ChatModel
import ChatStore
import ChatStoreTesting
import TransportLayer
import XMPPAddress
import XMPPClient

extension ChatHome {
    /// A user with accounts whose servers cannot be reached.
    ///
    /// - Parameters:
    ///   - media: the cache of all accounts.
    ///   - isEnabled: `false` for accounts that do not try to connect, so that no error is shown.
    ///   - storage: where the accounts are kept; one with `media` without it.
    ///   - onAttempt: called for each attempt to connect.
    static func unreachable(
        _ addresses: String..., password: String? = "secret", media: MediaCache? = nil, isEnabled: Bool = true,
        storage: MemoryAccountStorage? = nil, onAttempt: @escaping @Sendable () -> Void = {}
    ) async throws -> ChatHome {
        let accountStorage = storage ?? MemoryAccountStorage(media: media)
        let store = MemoryStore()
        var accounts: [AccountID] = []
        for address in addresses {
            let address = try JID(address)
            await accountStorage.save(AccountAccess(address: address))
            if let password { await accountStorage.save(password: password, of: address) }
            accounts.append(
                try await store.write { writer throws(StoreError) in
                    let id = try writer.addAccount(address)
                    guard !isEnabled, var account = try writer.account(address) else { return id }
                    account.isEnabled = false
                    try writer.update(account)
                    return id
                })
        }
        let home = ChatHome(store: store, accountStorage: accountStorage)
        home.prepare = { configuration in
            configuration.transports = TransportFactory { _ throws(TransportError) in
                onAttempt()
                throw TransportError(.connectionRefused, "none")
            }
        }
        try await home.begin(with: accounts)
        return home
    }
}
