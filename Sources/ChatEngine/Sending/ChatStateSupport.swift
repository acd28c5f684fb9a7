internal import MessageFeatures
internal import Synchronization
internal import XMPPAddress
internal import XMPPStanzas

/// Who may be told that something is being written (XEP-0085 §5.1): nobody where the person does not want it; a contact who has
/// answered without a chat state is told no more, until a state comes from there.
final class ChatStateSupport: Sendable {
    private let silent = Mutex<Set<JID>>([])
    private let isAllowed: Mutex<Bool>

    /// - Parameter tellsTyping: what the person wants.
    init(tellsTyping: Bool = true) { isAllowed = Mutex(tellsTyping) }

    /// What the person wants from now on.
    func setTellsTyping(_ tellsTyping: Bool) { isAllowed.withLock { $0 = tellsTyping } }

    /// Takes in a message of somebody.
    func received(_ message: Message) {
        guard message.type == .chat || message.type == .normal, let sender = message.from?.bare else { return }
        silent.withLock { silent in
            if message.chatState != nil {
                silent.remove(sender)
            } else if message.isMessageWithBody {
                // Strangers must not fill the memory; whoever is forgotten is told once more.
                if silent.count >= Self.limit { silent = [] }
                silent.insert(sender)
            }
        }
    }

    func allows(_ peer: JID) -> Bool {
        isAllowed.withLock(\.self) && silent.withLock { !$0.contains(peer.bare) }
    }

    /// So many contacts are remembered.
    private static let limit = 1024
}
