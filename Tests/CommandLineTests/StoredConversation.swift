import ChatStore
import Foundation
import ProgramFixtures
import XMPPAddress

/// Fills a store before a program opens it.
struct StoredConversation {
    let account: String
    let peer: String
    /// The name that the user gave to the peer.
    var name: String? = "Romeo"

    /// This number of messages, one per minute, every second one from the peer; and one of the user that waits to be
    /// sent.
    ///
    /// - Returns: the number of the waiting message.
    @discardableResult
    func write(into home: ProgramHome, count: Int = 10, queued: String? = nil) async throws -> MessageID? {
        let store = try await home.openStore()
        let (account, peer, name) = (try JID(account), try JID(peer), name)
        let waiting = try await store.write { store throws(StoreError) -> MessageID? in
            let id = try store.addAccount(account)
            try store.save(StoredContact(address: peer, name: name, subscription: .both), of: id)
            let key = ConversationKey(account: id, address: peer, kind: .direct)
            for number in 1...count {
                let isOutgoing = number % 2 == 0
                _ = try store.receive(
                    MessageCopy(
                        route: .live, sender: isOutgoing ? account : peer, isOutgoing: isOutgoing, wireID: "m\(number)",
                        originID: "m\(number)",
                        time: MessageTime(millisecondsSince1970: Self.start + Int64(number) * 60_000),
                        content: .text(MessageText("message \(number)"))), in: key)
            }
            _ = try store.receive(
                MessageCopy(
                    route: .live, sender: peer, isOutgoing: false, wireID: "r1",
                    time: MessageTime(millisecondsSince1970: Self.start + 3_600_000),
                    content: .reactions(to: .sent(id: "m2"), ["👍"])), in: key)
            guard let queued else { return nil }
            return try store.send(
                OutgoingMessage(
                    sender: account, originID: "q1", time: MessageTime(millisecondsSince1970: Self.start + 7_200_000),
                    content: .text(MessageText(queued))), in: key)
        }
        await store.close()
        return waiting
    }

    /// 2026-03-04T05:00:00Z.
    static let start: Int64 = 1_772_600_400_000
}

extension ProgramHome {
    var storePath: String { path + "/data/hongyan/chat.db" }

    func openStore() async throws -> SQLiteStore {
        try FileManager.default.createDirectory(
            atPath: path + "/data/hongyan", withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        return try await SQLiteStore.open(at: storePath)
    }
}
