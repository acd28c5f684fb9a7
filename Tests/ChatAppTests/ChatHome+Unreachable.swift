import ChatModel
import ChatStore
import TransportLayer
import XMPPAddress
import XMPPClient

extension ChatHome {
    /// A person with accounts whose servers cannot be reached.
    static func unreachable(_ addresses: String..., password: String? = "secret") async throws -> ChatHome {
        let keeper = MemoryAccounts()
        let store = MemoryStore()
        for address in addresses {
            let address = try JID(address)
            await keeper.save(AccountAccess(address: address))
            if let password { await keeper.save(password: password, of: address) }
            _ = try await store.write { writer throws(StoreError) in try writer.addAccount(address) }
        }
        let home = ChatHome(store: store, keeper: keeper)
        home.prepare = { configuration in
            configuration.transports = TransportFactory { _ throws(TransportError) in
                throw TransportError(.connectionRefused, "none")
            }
        }
        await home.start()
        return home
    }
}
