internal import ChatStore
internal import XMPPAddress

/// The rooms of one account in its store.
struct StoredRooms: Sendable {
    private let context: AccountContext

    init(_ context: AccountContext) { self.context = context }

    /// Stores a room with its conversation, and changes it in the same transaction.
    func save(_ room: JID, _ body: @escaping @Sendable (inout StoredRoom) -> Void) async {
        let id = context.id
        let key = ConversationKey(account: id, address: room, kind: .room)
        await context.save { writer throws(StoreError) in
            var stored = try writer.rooms(of: id).first { $0.address == room.bare } ?? StoredRoom(address: room)
            body(&stored)
            try writer.save(stored, of: id)
            _ = try writer.openConversation(key)
        }
    }

    /// Changes a room if it is stored.
    func change(_ room: JID, _ body: @escaping @Sendable (inout StoredRoom) -> Void) async {
        let id = context.id
        await context.save { writer throws(StoreError) in
            guard var stored = try writer.rooms(of: id).first(where: { $0.address == room.bare }) else { return }
            body(&stored)
            try writer.save(stored, of: id)
        }
    }
}
