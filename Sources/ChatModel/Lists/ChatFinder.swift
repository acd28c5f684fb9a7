public import ChatStore
public import Observation
public import XMPPAddress

/// Something to talk in that was found for a new chat.
public struct ChatFinderRow: Identifiable, Hashable, Sendable {
    public enum Subject: Hashable, Sendable {
        case contact(ContactRow)
        case room(RoomRow)
        /// Somebody who is in no list, by the address that was typed.
        case address
    }

    public let conversation: ConversationKey
    public let subject: Subject

    public var id: ConversationKey { conversation }
    public var name: String {
        switch subject {
        case .contact(let row): row.name
        case .room(let row): row.name
        case .address: conversation.address.description
        }
    }
}

/// Finds whom to talk to: contacts and rooms by name or address, and anybody by a whole address.
@MainActor
@Observable
public final class ChatFinder {
    public let rows: ObservableList<ChatFinderRow>
    public private(set) var text = ""

    @ObservationIgnored private let contacts: ContactList
    @ObservationIgnored private let rooms: RoomList
    @ObservationIgnored private let accounts: [(id: AccountID, address: JID)]
    @ObservationIgnored private var observations: [ListObservation] = []

    /// - Parameter accounts: those that can talk; somebody who is in no list is talked to by the first.
    public init(
        contacts: ContactList, rooms: RoomList, accounts: [(id: AccountID, address: JID)],
        environment: ModelEnvironment = ModelEnvironment()
    ) {
        self.contacts = contacts
        self.rooms = rooms
        self.accounts = accounts
        rows = ObservableList(report: environment.report)
        observations = [
            contacts.rows.observe { [weak self] _ in self?.display() },
            rooms.rows.observe { [weak self] _ in self?.display() },
        ]
        display()
    }

    /// Shows only what has all of the words in its name or address.
    public func find(_ text: String) {
        guard text != self.text else { return }
        self.text = text
        display()
    }

    private func display() {
        let typed = text.trimmingWhitespace
        var found = contacts.all.filter { row in
            typed.isEmpty || FoldedName.matches(typed, in: [row.sortName, FoldedName(row.address.description)])
        }.map { ChatFinderRow(conversation: $0.conversation, subject: .contact($0)) }
        found += rooms.rows.elements.filter { row in
            typed.isEmpty || FoldedName.matches(typed, in: [row.sortName, FoldedName(row.address.description)])
        }.map { ChatFinderRow(conversation: $0.conversation, subject: .room($0)) }
        // A word alone is a search; an address, or a word that finds nothing, is somebody.
        if let account = accounts.first, typed.contains("@") || found.isEmpty,
            let address = try? ContactAddress.complete(typed, for: account.address)
        {
            let key = ConversationKey(account: account.id, address: address, kind: .direct)
            if !found.contains(where: { $0.conversation.address == address }) {
                found.append(ChatFinderRow(conversation: key, subject: .address))
            }
        }
        rows.show(found)
    }
}
