import ChatStore
import Foundation
import StanzaCorpus
import UserProfile
import XMPPAddress

/// A profile with a long history: so many messages with one contact, forty with each of fifty more, and forty with each of twelve
/// contacts of another account.
enum DesktopProfile {
    nonisolated static let talkativeContacts = 50
    nonisolated static let talkativeContactsOfOther = 12
    nonisolated static let messagesOfEach = 40
    private nonisolated static let batch = 2000

    nonisolated static func fill(_ folder: String, messages: Int, contacts: Int) async throws {
        let store = try await Profile(folder: folder).open(for: .writing)
        let own = try JID("juliet@capulet.example")
        let peers = try (0..<max(contacts, talkativeContacts + 1)).map { try JID("friend\($0)@montague.example") }
        let account = try await addAccount(own, peers, store)
        let other = try JID("nurse@capulet.example")
        let otherAccount = try await addAccount(other, Array(peers.prefix(talkativeContactsOfOther)), store)
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        for number in 1...talkativeContacts {
            let start = now - Int64(number) * 86_400_000
            try await say(messagesOfEach, peers[number], own, account, store, seed: UInt64(number), from: start)
        }
        for number in 0..<talkativeContactsOfOther {
            let start = now - Int64(number) * 86_400_000 - 43_200_000
            try await say(
                messagesOfEach, peers[number], other, otherAccount, store, seed: UInt64(100 + number), from: start)
        }
        try await say(messages, peers[0], own, account, store, seed: 0, from: now - Int64(messages) * 60_000)
        try await store.finishSearchIndex()
        await store.close()
        print("\(messages) messages in one conversation, \(peers.count) contacts")
    }

    private nonisolated static func addAccount(
        _ address: JID, _ contacts: [JID], _ store: SQLiteStore
    ) async throws -> AccountID {
        try await store.write { writer throws(StoreError) in
            let id = try writer.addAccount(address)
            // Without a network only the window is measured.
            if var account = try writer.account(address) {
                account.isEnabled = false
                try writer.update(account)
            }
            for (number, contact) in contacts.enumerated() {
                try writer.save(StoredContact(address: contact, name: "Friend \(number)", subscription: .both), of: id)
            }
            return id
        }
    }

    private nonisolated static func say(
        _ count: Int, _ peer: JID, _ own: JID, _ account: AccountID, _ store: SQLiteStore, seed: UInt64,
        from start: Int64
    ) async throws {
        let key = ConversationKey(account: account, address: peer, kind: .direct)
        var random = SeededGenerator(seed: seed)
        let words = (0..<2000).map { _ in
            String((0..<random.inRange(2...9)).map { _ in random.pick(Array("etaoinshrdlucmfwyp")) })
        }
        for first in stride(from: 0, to: count, by: batch) {
            let bodies = (first..<min(first + batch, count)).map { _ in
                (0..<random.inRange(1...random.inRange(2...40))).map { _ in random.pick(words) }.joined(separator: " ")
            }
            let outgoing = bodies.map { _ in random.percent(40) }
            try await store.write { writer throws(StoreError) in
                for (offset, body) in bodies.enumerated() {
                    let number = first + offset
                    let isOutgoing = outgoing[offset]
                    _ = try writer.receive(
                        MessageCopy(
                            route: isOutgoing ? .carbon : .live, sender: isOutgoing ? own : key.address,
                            isOutgoing: isOutgoing, wireID: "\(seed)-\(number)", originID: "\(seed)-\(number)",
                            time: MessageTime(millisecondsSince1970: start + Int64(number) * 60_000),
                            content: .text(MessageText(body))), in: key)
                }
            }
        }
        // Everything is read, so that the window opens at the end.
        try await store.write { writer throws(StoreError) in
            guard let id = try writer.conversation(key),
                let last = try writer.timeline(of: id, .newest, limit: 1).last
            else { return }
            try writer.markRead(upTo: last.id)
        }
    }
}
