internal import Automation
internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import JSONRPC
internal import Localization
internal import MessageFeatures
internal import TerminalApp
internal import UserProfile
internal import XMPPAddress

extension Command {
    static let queue = Command(
        name: "queue", synopsis: "[retry|cancel ID]",
        summary: "list messages that are waiting or failed; send them again or cancel them",
        options: [.init("jid", letter: "j", value: "ADDRESS", "the account, such as juliet@example.org")],
        connects: false, usesProfile: true
    ) { invocation in
        let words = invocation.arguments
        switch (words.first, words.count) {
        case (nil, _): try await listQueue(invocation)
        case ("retry"?, 2):
            try await change(words[1], invocation, event: "queued") { id, store throws(StoreError) in
                try store.sendAgain(id)
            }
        case ("cancel"?, 2):
            try await change(words[1], invocation, event: "cancelled") { id, store throws(StoreError) in
                try store.cancel(id)
            }
        default: throw CommandError.usage(localized("Use `queue`, `queue retry ID` or `queue cancel ID`."))
        }
    }

    private static func listQueue(_ invocation: Invocation) async throws {
        let address = try invocation.storedAccount()
        try await invocation.withStoreToRead { store in
            let accounts = try CommandError.inProfile { () throws(ProfileFailure) in try AccountFile() }
            let entries = try await store.read { store throws(StoreError) -> [QueueListing.Entry] in
                guard let account = try store.account(meant: address) else { return [] }
                let policy = accounts.account(account.address)?.encryption
                return try QueueListing(of: account.id, policy, in: store).entries
            }
            if entries.isEmpty { invocation.showText(localized("No message is waiting, and none has failed.")) }
            for entry in entries {
                let message = entry.message
                let time = message.time.timestamp
                let words = entry.content?.plainText ?? message.plainText
                invocation.show(
                    "\(message.id.rawValue)  \(time.dayText) \(time.clockText)  \(entry.protection.prefix)"
                        + "→ \(entry.key.address): " + DisplayWidth.truncate(TerminalText.harmless(words), to: 60)
                        + "  "
                        + message.state.mark + " " + TerminalText.harmless(Wording.state(message.state)),
                    json: entry.json)
            }
        }
    }

    private static func change(
        _ text: String, _ invocation: Invocation, event: String,
        _ change: @escaping @Sendable (MessageID, any StoreWriter) throws(StoreError) -> Void
    ) async throws {
        guard let number = Int64(text), number > 0 else {
            throw CommandError.usage(localized("“%@” is not a message number; `hongyan queue` lists them.", text))
        }
        let id = MessageID(rawValue: number)
        guard invocation.profile.hasStore else {
            throw CommandError.failed(localized("This is not possible for message %@.", text))
        }
        try await invocation.profile.withStore(for: .writing) { store in
            do throws(StoreError) {
                try await store.write { store throws(StoreError) in
                    // A message that is being sent or was delivered cannot be sent again or removed.
                    guard let message = try store.message(id), message.isOutgoing, message.isInOurHands else {
                        throw StoreError(.invalidRequest, "")
                    }
                    try change(id, store)
                }
            } catch  where error.code == .invalidRequest {
                throw CommandError.failed(localized("This is not possible for message %@.", text))
            }
            invocation.show(
                event == "queued"
                    ? localized("Message %@ is sent again with the next connection.", text)
                    : localized("Message %@ was cancelled.", text),
                json: ["event": .string(event), "id": .integer(Int(number))])
        }
    }
}

extension MessageContent {
    /// The text of a waiting message in a list.
    var plainText: String {
        switch self {
        case .text(let text):
            (text.attachments.map { $0.label() } + [text.body]).filter { !$0.isEmpty }.joined(separator: " ")
        case .correction(_, let text): localized("(correction) %@", text.body)
        case .retraction: localized("(retracts a message)")
        case .reactions(_, let emojis): localized("(reacts with %@)", emojis.joined(separator: " "))
        }
    }
}
