internal import ChatStore
internal import Cryptography
internal import EndToEndEncryption
internal import OMEMO
internal import XMPPClient

/// Removes this device from the account's lists after encryption was turned off: others would encrypt for it, and nobody
/// could read that here (XEP-0384 §6). Its keys stay for the time when encryption is turned on again.
struct DeviceWithdrawal: Sendable {
    let context: AccountContext

    /// Works until the device is in no list.
    func run(in session: Session) async {
        let events = session.events(.connection)
        if await session.isOnline, await withdraw(in: session) { return }
        for await batch in events {
            for case .connection(.online) in batch where await withdraw(in: session) { return }
        }
    }

    /// - Returns: whether the device is in no list; otherwise the next connection tries again.
    private func withdraw(in session: Session) async -> Bool {
        let (id, cryptography) = (context.id, OpenSSLCryptography())
        do {
            let records = try await context.store.read { reader throws(StoreError) in
                try reader.protectionRecords(of: id, beginningWith: OwnKeys.name)
            }
            guard let record = records.first(where: { $0.name == OwnKeys.name })?.value else { return true }
            var keys = try OwnKeys(record, using: cryptography)
            guard keys.isAnnounced else { return true }
            try await OMEMODevices(session, using: cryptography).withdraw(keys.device)
            keys.isAnnounced = false
            let change = ProtectionChange([.init(OwnKeys.name, keys.record)])
            try await context.store.write { writer throws(StoreError) in try writer.save(change, of: id) }
            return true
        } catch {
            return false
        }
    }
}
