internal import ChatStore
internal import EndToEndEncryption
internal import OMEMO
internal import XMPPAddress
internal import XMPPClient

/// Sends the empty messages that other devices wait for.
struct EmptyMessages: Sendable {
    let encryption: EncryptionContext
    let repair: SessionRepair

    /// - Returns: `false` if the keys of a device could not be requested now.
    func sendOwed(in session: Session, _ directory: SessionDirectory) async throws -> Bool {
        var isComplete = true
        for (name, record) in try await encryption.memory.values(beginningWith: OwedMessage.prefix) {
            guard let device = OwedMessage.device(named: name) else { continue }
            let owed = try OwedMessage(record)
            let rooms = Set([owed.room].compactMap(\.self))
            guard owed.kind != .none, await directory.mayWrite(to: device.address, rooms, in: session) else {
                continue
            }
            var bundle: VerifiedBundle?
            if owed.kind == .repair {
                do throws(ProtectionError) {
                    bundle = try await directory.bundle(of: device)
                } catch {
                    if error.isTemporary {
                        isComplete = false
                    } else {
                        try await settle(owed.kind, of: device, isSent: false)
                    }
                    continue
                }
            }
            guard let element = try await emptyMessage(for: device, bundle) else {
                try await settle(owed.kind, of: device, isSent: false)
                continue
            }
            try await session.send(.empty(element, to: device))
            try await settle(owed.kind, of: device, isSent: true)
        }
        return isComplete
    }

    /// An empty message in the session with a device, or in a new one; `nil` if there is no session.
    private func emptyMessage(for device: PeerDevice, _ bundle: VerifiedBundle?) async throws -> OMEMOElement? {
        try await encryption.memory.change { (draft: inout KeyDraft) async throws(ProtectionError) in
            try await repair.emptyMessage(for: device, bundle, &draft)
        }
    }

    /// Records that a device no longer waits for an empty message of this kind.
    private func settle(_ kind: OwedMessage.Kind, of device: PeerDevice, isSent: Bool) async throws {
        try await encryption.memory.change { (draft: inout KeyDraft) async throws(ProtectionError) in
            let name = OwedMessage.name(device)
            guard let record = try await draft.value(name) else { return }
            var owed = try OwedMessage(record)
            owed.settle(kind, isSent: isSent, now: encryption.seconds)
            draft.write(name, owed.record)
        }
    }
}
