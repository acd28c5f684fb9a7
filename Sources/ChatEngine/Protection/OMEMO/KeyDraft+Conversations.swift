internal import ChatStore
internal import OMEMO
internal import XMPPAddress

extension KeyDraft {
    /// The records of the sessions with an account's devices, by name.
    func sessions(of address: JID) async throws(ProtectionError) -> [String: [UInt8]] {
        var sessions: [String: [UInt8]] = [:]
        for generation in OMEMOGeneration.allCases {
            sessions.merge(
                try await values(beginningWith: SessionShelf.prefix(generation, address)),
                uniquingKeysWith: { first, _ in first })
        }
        return sessions
    }

    /// Those in which something can be encrypted.
    func usableSessions(of address: JID) async throws(ProtectionError) -> [String: [UInt8]] {
        try await sessions(of: address).filter { SessionShelf.canSend($0.value) }
    }

    /// What is known of the encryption of a conversation.
    func encryption(of conversation: ConversationAddress) async throws(ProtectionError) -> ConversationEncryption {
        let record = try await value(ConversationEncryption.name(conversation))
        var known = try record.map { bytes throws(ProtectionError) in try ConversationEncryption(bytes) } ?? .init()
        if conversation.kind == .occupant {
            // Private messages beside an encrypted room are not sent in clear.
            let room = ConversationAddress(conversation.address, kind: .room)
            if try await encryption(of: room).wasEncrypted { known.wasEncrypted = true }
        }
        return known
    }

    /// Records that a conversation is encrypted: nothing is sent in clear any more unless the user decides so.
    mutating func noteEncrypted(_ moment: OMEMOProtection.Moment) async throws(ProtectionError) {
        var known = try await encryption(of: moment.conversation)
        guard !known.wasEncrypted else { return }
        known.wasEncrypted = true
        known.began = moment.time.millisecondsSince1970 / 1000
        write(ConversationEncryption.name(moment.conversation), known.record)
        note(ProtectionNotice(.began, in: moment.conversation, at: moment.time))
    }
}
