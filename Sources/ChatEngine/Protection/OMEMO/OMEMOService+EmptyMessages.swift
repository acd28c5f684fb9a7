internal import ChatStore
internal import EndToEndEncryption
internal import MessageFeatures
internal import OMEMO
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

/// The empty messages that other devices wait for.
extension OMEMOService {
    func sendOwed(in session: Session, _ directory: SessionDirectory) async throws {
        for (name, record) in try await protection.memory.values(beginningWith: OwedMessage.prefix) {
            guard let device = OwedMessage.device(named: name) else { continue }
            let owed = try OwedMessage(record)
            guard owed.kind != .none, await maySend(owed, to: device, in: session, directory) else { continue }
            var bundle: VerifiedBundle?
            if owed.kind == .repair {
                do throws(ProtectionError) {
                    bundle = try await directory.bundle(of: device)
                } catch {
                    if !error.isTemporary { try await settle(owed.kind, of: device, isSent: false) }
                    continue
                }
            }
            guard let element = try await emptyMessage(for: device, bundle) else {
                try await settle(owed.kind, of: device, isSent: false)
                continue
            }
            var message = Message(to: device.address, type: .chat)
            message.payloads.append(element)
            message.append(EncryptionHint(device.generation.namespace))
            message.payloads.append(ProcessingHint.store)
            try await session.send(message)
            try await settle(owed.kind, of: device, isSent: true)
        }
    }

    /// An account that may not learn our presence gets no response, except a member of a room in which the messages are
    /// encrypted for it.
    private func maySend(
        _ owed: OwedMessage, to device: PeerDevice, in session: Session, _ directory: SessionDirectory
    ) async -> Bool {
        if await session.mayLearnPresence(device.address) { return true }
        guard let room = owed.room, let members = try? await directory.members(of: room) else { return false }
        return members.contains(device.address)
    }

    /// An empty message in the session with a device, or in a new one; `nil` if there is no session.
    private func emptyMessage(for device: PeerDevice, _ bundle: VerifiedBundle?) async throws -> OMEMOElement? {
        let protection = protection
        var step = ProtectionStep(context.recorder.protector)
        let element = try await step.perform { () async throws(ProtectionError) in
            var draft = KeyDraft(protection.memory)
            let element = try await protection.emptyMessage(for: device, bundle, &draft)
            return (element, draft.finish())
        }
        try await step.store(of: context.id, in: context.store) { _ in }
        return element
    }

    /// Records that a device no longer waits for an empty message of this kind.
    private func settle(_ kind: OwedMessage.Kind, of device: PeerDevice, isSent: Bool) async throws {
        let protection = protection
        var step = ProtectionStep(context.recorder.protector)
        try await step.perform { () async throws(ProtectionError) in
            var draft = KeyDraft(protection.memory)
            let name = OwedMessage.name(device)
            if let record = try await draft.value(name) {
                var owed = try OwedMessage(record)
                owed.settle(kind, isSent: isSent, now: protection.seconds)
                draft.write(name, owed.record)
            }
            return ((), draft.finish())
        }
        try await step.store(of: context.id, in: context.store) { _ in }
    }
}
