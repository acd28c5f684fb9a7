internal import ChatStore
internal import XMPPStanzas

/// Where messages are not encrypted: what came in clear although it should not have, and what must not be sent in clear.
struct ClearTextRule: Sendable {
    let context: EncryptionContext

    /// A text or a file in clear in a conversation that is encrypted, unless the person has decided for clear text there.
    func protection(of message: Message, by route: ReceivedRoute) async -> MessageProtection {
        guard message.hasVisibleContent,
            let known = try? await KeyDraft(context.memory).encryption(of: route.conversation), known.wasEncrypted,
            (known.policy ?? context.settings.policy) != .never
        else { return .none }
        // Earlier messages come from an archive.
        guard let time = route.time else { return .clear }
        return known.began.map { time.millisecondsSince1970 / 1000 >= $0 } ?? false ? .clear : .none
    }

    /// From now on nothing is sent in clear in a conversation, as after its first encrypted message.
    func end(in conversation: ConversationAddress) async throws {
        try await context.change { (draft: inout KeyDraft) async throws(ProtectionError) in
            try await draft.noteEncrypted(ConversationMoment(conversation: conversation, time: context.now()))
        }
    }

    /// Whether a message that cannot be encrypted is refused in a conversation, and not sent in clear.
    func isRefused(in conversation: ConversationAddress) async throws(ProtectionError) -> Bool {
        let known = try await KeyDraft(context.memory).encryption(of: conversation)
        return !known.allowsClear(context.settings.policy)
    }
}
