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

    /// Records that the other account of a conversation asks for messages without encryption.
    ///
    /// - Parameter key: the one with which it asks.
    mutating func noteOptOut(
        _ moment: ConversationMoment, by key: ConversationNotice.Key
    ) async throws(ProtectionError) {
        var known = try await encryption(of: moment.conversation)
        guard known.optOut == nil else { return }
        known.optOut = moment.time.millisecondsSince1970 / 1000
        write(ConversationEncryption.name(moment.conversation), known.record)
        note(ConversationNotice(.optOut, in: moment.conversation, at: moment.time, key: key))
    }

    /// Records that a conversation is encrypted: nothing is sent in clear any more unless the user decides so. An account
    /// that encrypts again does not ask for clear text any more.
    mutating func noteEncrypted(_ moment: ConversationMoment) async throws(ProtectionError) {
        var known = try await encryption(of: moment.conversation)
        if let optOut = known.optOut, moment.time.millisecondsSince1970 / 1000 > optOut {
            known.optOut = nil
            write(ConversationEncryption.name(moment.conversation), known.record)
        }
        guard !known.wasEncrypted else { return }
        known.wasEncrypted = true
        known.began = moment.time.millisecondsSince1970 / 1000
        write(ConversationEncryption.name(moment.conversation), known.record)
        note(ConversationNotice(.began, in: moment.conversation, at: moment.time))
    }
}
