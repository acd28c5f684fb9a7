import Foundation
import Testing
import XMPPAddress

@testable import ChatStore

/// One file for each version of the schema, written by the program of that time. A new version adds a file and changes
/// none: HONGYAN_FIXTURE=PATH writes one of the current version.
@Suite("Files of earlier versions")
struct FixtureTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Fixtures"

    private static let unreadable = ProtectionError.Recipient(.romeo, device: "27183", .undecided)

    private func fill(_ store: SQLiteStore) async throws {
        try await store.write { store throws(StoreError) in
            let account = try store.addAccount(.juliet)
            let romeo = ConversationKey(account: account, address: .romeo, kind: .direct)
            let balcony = ConversationKey(account: account, address: .balcony, kind: .room)
            for (number, body) in ["But, soft!", "What light through yonder window breaks?", "鸿雁传书"].enumerated() {
                var copy = MessageCopy.text(
                    body, origin: "m\(number)", archived: "\(100 + number)", at: Int64(number), source: .archive)
                if number == 1 { copy.protection = ProtectionTests.facts }
                _ = try store.receive(copy, in: romeo)
            }
            _ = try store.receive(
                .with(.correction(of: .sent(id: "m0"), MessageText("But soft!")), origin: "c", at: 9), in: romeo)
            var reaction = MessageCopy.with(.reactions(to: .sent(id: "m1"), ["🌹"]), from: .juliet, id: "r", at: 10)
            // In clear it would not count for a message that was encrypted.
            reaction.protection = ProtectionTests.facts
            _ = try store.receive(reaction, in: romeo)
            _ = try store.receive(.with(.reactions(to: .sent(id: "later"), ["🌹"]), id: "w", at: 11), in: romeo)
            try store.save(ProtectionChange([.init("identity", [1, 2, 3])]), of: account)
            let attachment = Attachment(
                kind: .voice, mediaType: "audio/ogg", name: "voice.ogg", size: 12, duration: 900, playback: 300)
            let sent = try store.send(
                OutgoingMessage(
                    sender: .juliet, originID: "0b9e1f9a-6f0e-4a52-b2f5-2f8e6c2f1a11", time: .at(12),
                    content: .text(MessageText("Ay me!", attachments: [attachment]))), in: romeo)
            try store.noteProtection(.none, unreadable: [Self.unreadable], of: sent)
            try store.save(
                ProtectionChange([], notices: [ConversationNotice(.began, in: romeo.conversation, at: .at(12))]),
                of: account)
            _ = try store.receive(.text("all", from: .nurseInBalcony, archived: "1", by: .balcony, at: 13), in: balcony)
            try store.markRead(upTo: .sent(id: "m1"), in: store.openConversation(romeo))
            try store.saveDraft(Draft(body: "O Romeo", time: .at(14)), in: store.openConversation(romeo))
            try store.replaceContacts(
                [StoredContact(address: .romeo, name: "Romeo", subscription: .both)], version: "7", of: account)
            try store.save(StoredRoom(address: .balcony, nickname: "Juliet"), of: account)
            try store.savePublishedName("Romeo Montague", of: .romeo, account: account)
            try store.setMarkedUnread(true, in: store.openConversation(balcony))
            var settings = ConversationSettings(isPinned: true, pinRank: 4)
            settings.isUnshared = true
            try store.update(settings, of: store.openConversation(balcony))
            try store.noteBeginning(of: store.openConversation(romeo), at: .at(8))
            try store.savePresence(StoredPresence(address: .romeoPhone, show: "away"), of: account)
        }
        try await store.write { store throws(StoreError) in
            _ = try store.addEventReader("bot", at: .at(15))
        }
        try await store.write { store throws(StoreError) in
            guard let account = try store.account(.juliet) else { return }
            try store.save(StoredRoom(address: .balcony, nickname: "Juliet", name: "Balcony"), of: account.id)
        }
    }

    @Test("a file of the current version can be written")
    func write() async throws {
        let folder = try TemporaryFolder()
        let path = ProcessInfo.processInfo.environment["HONGYAN_FIXTURE"] ?? folder.path + "/fixture.db"
        let store = try await SQLiteStore.open(at: path)
        try await fill(store)
        try await store.finishSearchIndex()
        await store.close()
        #expect(Migration.all.map(\.number) == Array(1...Int64(Migration.all.count)))
    }

    @Test(
        "a file of every earlier version is migrated with all of its data",
        arguments: Migration.all.map(\.number))
    func migration(version: Int64) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/chat.db"
        try FileManager.default.copyItem(atPath: "\(Self.folder)/version-\(version).db", toPath: path)
        let store = try await SQLiteStore.open(at: path)
        #expect(store.report.migratedFrom == (version == Migration.all.last?.number ? nil : version))
        #expect(store.report.salvage == nil)
        try await store.read { store throws(StoreError) in
            guard let account = try store.account(.juliet) else {
                Issue.record("the account is missing")
                return
            }
            #expect(account.rosterVersion == "7")
            #expect(try store.contacts(of: account.id).map(\.name) == ["Romeo"])
            #expect(try store.rooms(of: account.id).map(\.nickname) == ["Juliet"])
            let list = try store.conversations()
            #expect(list.map { $0.lastMessage?.text.body } == ["all", "Ay me!"])
            #expect(list.map(\.unreadCount) == [1, 1])
            #expect(list.map { $0.draft?.body } == [nil, "O Romeo"])
            let page = try store.timeline(of: list[1].id, .newest, limit: 10)
            #expect(
                page.map(\.text.body) == ["But soft!", "What light through yonder window breaks?", "鸿雁传书", "Ay me!"])
            #expect(page.map(\.reactions.count) == [0, 1, 0, 0])
            #expect(page[3].text.attachments.map(\.duration) == [900])
            #expect(
                try store.sharedMedia(of: list[1].id, [.voice], before: nil, limit: 10).map(\.id) == [page[3].id])
            #expect(page[3].originID == "0b9e1f9a-6f0e-4a52-b2f5-2f8e6c2f1a11")
            #expect(try store.sendQueue(of: account.id).map(\.message.id) == [page[3].id])
            // Added after the first version.
            #expect(list.map(\.isMarkedUnread) == (version < 2 ? [false, false] : [true, false]))
            #expect(page[3].text.attachments.map(\.playback) == [version < 2 ? nil : 300])
            #expect(try store.presences(of: account.id).map(\.show) == (version < 2 ? [] : ["away"]))
            #expect(try store.publishedNames(of: account.id) == (version < 8 ? [:] : [.romeo: "Romeo Montague"]))
            #expect(page.map(\.protection) == [.none, version < 5 ? .none : ProtectionTests.facts, .none, .none])
            let records = try store.protectionRecords(of: account.id, beginningWith: "")
            #expect(records == (version < 5 ? [] : [.init("identity", [1, 2, 3])]))
            #expect(page[3].unreadable == (version < 6 ? [] : [Self.unreadable]))
            #expect(
                try store.notices(of: list[1].id, in: .at(0) ... .at(99)).map(\.notice.kind)
                    == (version < 6 ? [] : [.began]))
            #expect(list.map(\.settings.pinRank) == [version < 10 ? nil : 4, nil])
            #expect(list.map(\.settings.isUnshared) == [version >= 12, false])
            #expect(list.map(\.begun) == [nil, version < 11 ? nil : .at(8)])
            #expect(try store.eventReaders().map(\.name) == (version < 7 ? [] : ["bot"]))
            #expect(try store.events(after: 0, limit: 9).map(\.kind) == (version < 7 ? [] : [.room]))
            #expect(try store.search(SearchRequest("雁")).messages.map(\.id) == [page[2].id])
        }
        #expect(try await store.verify().isEmpty)
        await store.close()
    }
}
