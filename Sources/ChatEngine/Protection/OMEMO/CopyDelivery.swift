internal import ChatStore
internal import MessageFeatures
internal import MessageHistory
internal import OMEMO
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

/// Requests copies of messages that could not be decrypted, and sends those that other devices request.
struct CopyDelivery: Sendable {
    let context: AccountContext
    let encryption: EncryptionContext
    let copies: CopyExchange

    // MARK: For this device

    /// Requests what is due from each device. A device may learn it from which it may learn our presence, and members of
    /// the room of a message.
    func requestCopies(in session: Session, _ directory: SessionDirectory) async throws {
        var missing: [PeerDevice: [MissingMessage]] = [:]
        for (name, record) in try await encryption.memory.values(beginningWith: MissingMessage.prefix) {
            guard let device = MissingMessage.device(named: name), let message = try? MissingMessage(record) else {
                continue
            }
            missing[device, default: []].append(message)
        }
        for (device, messages) in missing {
            let rooms = Set(messages.lazy.filter { $0.conversation.kind == .room }.map(\.conversation.address))
            let isAllowed = await directory.mayWrite(to: device.address, rooms, in: session)
            // A long list is requested in parts.
            while let element = try await copyRequest(to: device, isAllowed: isAllowed) {
                try await session.send(.empty(element, to: device))
            }
        }
    }

    /// The next request to a device. Messages that are given up say so from now on.
    private func copyRequest(to device: PeerDevice, isAllowed: Bool) async throws -> OMEMOElement? {
        let account = context.id
        return try await encryption.memory.change { (draft: inout KeyDraft) async throws(ProtectionError) in
            try await copies.copyRequest(to: device, isAllowed: isAllowed, &draft)
        } storing: { writer, request throws(StoreError) in
            for missing in request.givenUp { try writer.giveUp(missing, of: account) }
        }.element
    }

    // MARK: For other devices

    /// Sends the copies that devices have requested, each to the connection that has asked.
    func sendCopies(in session: Session, _ directory: SessionDirectory) async throws {
        for (name, record) in try await encryption.memory.values(beginningWith: RequestedCopies.prefix) {
            guard let device = RequestedCopies.device(named: name), let requested = try? RequestedCopies(record) else {
                continue
            }
            let isCurrent = encryption.seconds - requested.time < MissingMessage.lifetime
            for entry in requested.entries {
                var rooms: Set<JID> = []
                if case .room(let room) = entry.place, let room = try? JID(room) { rooms = [room] }
                if isCurrent, await directory.mayWrite(to: device.address, rooms, in: session),
                    var copy = try await copy(entry, for: device)
                {
                    copy.to = requested.receiver
                    try await session.send(copy)
                }
                try await settle(entry, for: device)
            }
        }
    }

    /// The copy of a message of ours; `nil` if there is none, it was retracted, or the device may not have it.
    private func copy(_ entry: CopyRequest.Entry, for device: PeerDevice) async throws -> Message? {
        let conversation: ConversationAddress
        switch entry.place {
        case .requester: conversation = ConversationAddress(device.address, kind: .direct)
        case .account(let peer):
            guard device.address == context.address, let peer = try? JID(peer) else { return nil }
            conversation = ConversationAddress(peer.bare, kind: .direct)
        case .room(let room):
            guard let room = try? JID(room) else { return nil }
            conversation = ConversationAddress(room.bare, kind: .room)
        }
        let key = ConversationKey(account: context.id, conversation)
        let oldest = context.now().advanced(by: -MissingMessage.lifetime * 1000)
        let sent = try await context.store.read { reader throws(StoreError) -> QueuedMessage? in
            guard let id = try reader.conversation(key) else { return nil }
            return try reader.sent(entry.id, in: id)
        }
        guard let sent, sent.message.time > oldest,
            var stanza = try await context.queue.stanzas.stanza(for: sent, to: key)
        else { return nil }
        // Nobody is told again that its author is active, and only the receiver of a message confirms it.
        let isOwn = device.address == context.address || conversation.kind == .room
        stanza.payloads.removeAll { payload in
            payload.namespace == ChatState.namespace || payload.namespace == ProcessingHint.namespace
                || isOwn && Message.staysOutside(payload) && !payload.isNamed(OriginIdentifier.name)
        }
        let message = stanza
        let sealed = try await encryption.memory.change { (draft: inout KeyDraft) async throws(ProtectionError) in
            try await copies.copy(message, in: conversation, for: device, &draft)
        }
        guard var copy = sealed else { return nil }
        // Other devices have the message, and so have the archives.
        copy.append(CarbonExclusion())
        for hint in [ProcessingHint.noCopy, .noPermanentStore, .noStore] { copy.payloads.append(hint) }
        return copy
    }

    private func settle(_ entry: CopyRequest.Entry, for device: PeerDevice) async throws {
        try await encryption.memory.change { (draft: inout KeyDraft) async throws(ProtectionError) in
            let name = RequestedCopies.name(device)
            guard let record = try await draft.value(name) else { return }
            var copies = try RequestedCopies(record)
            copies.remove(entry)
            draft.write(name, copies.record)
        }
    }
}

extension Message {
    /// A message that carries nothing but an element without a payload, for all connections of a device's account.
    static func empty(_ element: OMEMOElement, to device: PeerDevice) -> Message {
        var message = Message(to: device.address, type: .chat)
        message.payloads.append(element)
        message.append(EncryptionHint(device.generation.namespace))
        message.payloads.append(ProcessingHint.store)
        return message
    }
}

extension StoreWriter {
    /// A message will not come again: it says that its key is missing.
    func giveUp(_ missing: MissingMessage, of account: AccountID) throws(StoreError) {
        guard let conversation = try conversation(ConversationKey(account: account, missing.conversation)),
            let message = try message(.sent(id: missing.id), in: conversation),
            case .notOpened(let scheme, ProtectionError.Code.requested.rawValue) = message.protection
        else { return }
        try noteProtection(
            .notOpened(scheme: scheme, reason: ProtectionError.Code.keyMissing.rawValue), unreadable: [], of: message.id
        )
    }
}
