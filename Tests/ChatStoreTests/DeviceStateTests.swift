import ChatStore
import Testing
import XMPPAddress

@Suite("Both stores: unread marks, playback positions, presence, files of unsent messages")
struct DeviceStateTests {
    @Test(
        "a conversation marked as unread remains so until it is read here, or more of it elsewhere",
        arguments: StoreKind.allCases)
    func markedUnread(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        try await store.receive(.text("a", origin: "a", at: 1))
        try await store.receive(.text("b", origin: "b", at: 2))
        let conversation = try #require(try await store.conversation())
        #expect(!conversation.isMarkedUnread)
        let (id, last) = (conversation.id, try #require(conversation.lastMessage?.id))
        func mark() async throws {
            try await store.store.write { store throws(StoreError) in try store.setMarkedUnread(true, in: id) }
        }
        try await store.store.write { store throws(StoreError) in try store.markRead(upTo: last) }
        try await mark()
        var seen = try #require(try await store.conversation())
        #expect(seen.isMarkedUnread && seen.unreadCount == 0)
        // Another device repeats its read position with each connection.
        try await store.store.write { store throws(StoreError) in try store.markRead(upTo: .sent(id: "b"), in: id) }
        #expect(try await store.conversation()?.isMarkedUnread == true)
        try await store.store.write { store throws(StoreError) in try store.markRead(upTo: last) }
        #expect(try await store.conversation()?.isMarkedUnread == false)

        try await mark()
        try await store.receive(.text("c", origin: "c", at: 3))
        try await store.store.write { store throws(StoreError) in try store.markRead(upTo: .sent(id: "c"), in: id) }
        seen = try #require(try await store.conversation())
        #expect(!seen.isMarkedUnread && seen.unreadCount == 0)
        try await store.store.write { store throws(StoreError) in
            try store.setMarkedUnread(true, in: id)
            try store.setMarkedUnread(false, in: id)
        }
        #expect(try await store.conversation()?.isMarkedUnread == false)
    }

    @Test("the playback position of a voice message is stored", arguments: StoreKind.allCases)
    func playback(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let voice = Attachment(kind: .voice, mediaType: "audio/ogg", duration: 9000, url: "https://x.example/v.ogg")
        let id = try await store.receive(
            .with(.text(MessageText("", attachments: [voice])), origin: "v", at: 1)
        ).id
        #expect(try await store.timeline().first?.text.attachments.map(\.playback) == [nil])
        var played = voice
        played.playback = 4200
        let kept = played
        try await store.store.write { store throws(StoreError) in try store.update(kept, at: 0, of: id) }
        #expect(try await store.timeline().first?.text.attachments == [played])
    }

    @Test(
        "presence is stored per device, requests separately, until the session ends", arguments: StoreKind.allCases)
    func presences(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let account = store.account
        let tablet = try JID.romeo.with(resource: "tablet")
        let other = try JID("romeo@montague.example0/x")
        let phone = StoredPresence(address: .romeoPhone, show: "away", status: "at the \"tomb\"", priority: -3)
        try await store.store.write { store throws(StoreError) in
            try store.savePresence(StoredPresence(address: .romeoPhone), of: account)
            try store.savePresence(phone, of: account)
            try store.savePresence(StoredPresence(address: tablet), of: account)
            try store.savePresence(StoredPresence(address: other), of: account)
            try store.savePresence(StoredPresence(address: .romeo, kind: .request, status: "me"), of: account)
        }
        func seen() async throws -> [StoredPresence] {
            try await store.store.read { store throws(StoreError) in try store.presences(of: account) }
        }
        #expect(
            try await seen() == [
                StoredPresence(address: .romeo, kind: .request, status: "me"), phone,
                StoredPresence(address: tablet), StoredPresence(address: other),
            ])
        try await store.store.write { store throws(StoreError) in
            try store.removePresence(.available, of: tablet, account: account)
        }
        #expect(try await seen().map(\.address) == [.romeo, .romeoPhone, other])
        try await store.store.write { store throws(StoreError) in
            try store.removePresence(.available, of: .romeo, account: account)
        }
        #expect(try await seen().map(\.address) == [.romeo, other])
        try await store.store.write { store throws(StoreError) in
            try store.removePresence(.request, of: .romeo, account: account)
        }
        #expect(try await seen().map(\.address) == [other])
        try await store.store.write { store throws(StoreError) in
            try store.savePresence(StoredPresence(address: .romeo, kind: .request), of: account)
            try store.removePresences(.available, of: account)
        }
        #expect(try await seen().map(\.kind) == [.request])
        try await store.store.write { store throws(StoreError) in try store.removePresences(.request, of: account) }
        #expect(try await seen().isEmpty)
    }

    @Test(
        "the files of an unsent message are needed: while it is queued, or failed and can be retried",
        arguments: StoreKind.allCases)
    func contentsToSend(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let (account, romeo) = (store.account, store.romeo)
        var ids: [MessageID] = []
        for (number, hash) in ["aa", "bb", "cc", "dd"].enumerated() {
            let attachment = Attachment(kind: .picture, contentHash: hash, isLocal: true)
            let message = OutgoingMessage(
                sender: .juliet, originID: hash, time: .at(Int64(number)),
                content: .text(MessageText("", attachments: [attachment])))
            ids.append(
                try await store.store.write { store throws(StoreError) in try store.send(message, in: romeo) })
        }
        // Messages of others do not matter for the queue.
        try await store.receive(
            .with(
                .text(MessageText("", attachments: [Attachment(kind: .picture, contentHash: "ee", isLocal: true)])),
                origin: "e", at: 9))
        func needed() async throws -> Set<String> {
            try await store.store.read { store throws(StoreError) in try store.contentsToSend(of: account) }
        }
        #expect(try await needed() == ["aa", "bb", "cc", "dd"])
        let sent = ids
        var changes = store.store.changes().makeAsyncIterator()
        try await store.store.write { store throws(StoreError) in
            try store.advance(sent[0], to: .sentToServer)
            try store.advance(sent[1], to: .failed(FailureReason(.notSent, condition: "too-large")))
            try store.cancel(sent[3])
        }
        #expect(await changes.next()?.sendQueue == true)
        #expect(try await needed() == ["bb", "cc"])
        try await store.store.write { store throws(StoreError) in try store.removeMessage(sent[1]) }
        #expect(await changes.next()?.sendQueue == true)
        #expect(try await needed() == ["cc"])
    }

    @Test("names that people gave themselves are stored", arguments: StoreKind.allCases)
    func publishedNames(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let account = store.account
        try await store.store.write { store throws(StoreError) in
            try store.savePublishedName("Romeo", of: .romeo, account: account)
            try store.savePublishedName("", of: .tybalt, account: account)
        }
        #expect(
            try await store.store.read { store throws(StoreError) in try store.publishedNames(of: account) }
                == [.romeo: "Romeo", .tybalt: ""])
        try await store.store.write { store throws(StoreError) in
            try store.savePublishedName(nil, of: .romeo, account: account)
            try store.savePublishedName("Prince of Cats", of: .tybalt, account: account)
        }
        #expect(
            try await store.store.read { store throws(StoreError) in try store.publishedNames(of: account) }
                == [.tybalt: "Prince of Cats"])
    }

    @Test("lists read only the hashes of avatars", arguments: StoreKind.allCases)
    func avatarHashes(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let account = store.account
        let avatar = StoredAvatar(hash: "a1", mediaType: "image/png", data: [0x89, 0x50, 0])
        try await store.store.write { store throws(StoreError) in
            try store.saveAvatar(avatar, of: .romeo, account: account)
            try store.saveAvatar(avatar, of: .tybalt, account: account)
        }
        try await store.store.read { store throws(StoreError) in
            #expect(try store.avatarHashes(of: account) == [.romeo: "a1", .tybalt: "a1"])
            #expect(try store.avatar(hash: "a1") == avatar)
            #expect(try store.avatar(hash: "a2") == nil)
        }
    }
}
