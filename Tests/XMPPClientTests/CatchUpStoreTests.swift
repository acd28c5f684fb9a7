import Foundation
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas
import XMPPStream

@testable import XMPPClient

/// XEP-0359: what a store remembers of an archive.
@Suite("A store that knows an archive")
struct CatchUpStoreTests {
    private let path = FileManager.default.temporaryDirectory.appending(path: "store-\(UUID().uuidString)").path
    private static let account = "alice@xmpp.test"

    private func store() throws -> FileSessionStore { try FileSessionStore(path: path) { _ in true } }

    private func state(_ id: String) throws -> ResumptionState {
        ResumptionState(
            id: id, address: try JID(Self.account + "/desk"), handledCount: 0, acknowledgedCount: 0, unacknowledged: [],
            maximumSeconds: 300, location: nil)
    }

    private func message(_ id: String, by: String = account) throws -> XMLElement {
        try XMLElement(
            parsing:
                "<message xmlns='jabber:client' id='m-\(id)'><stanza-id xmlns='urn:xmpp:sid:0' by='\(by)' id='\(id)'/></message>"
        )
    }

    private func receive(_ ids: [String], in session: String, _ store: FileSessionStore, by: String = account)
        async throws
    {
        try await store.commit(
            SessionChange(
                received: try ids.map { ReceivedStanza(try message($0, by: by)) }, resumption: try state(session)))
    }

    private func archived(_ ids: [String]) throws -> [CatchUpMessage] {
        try ids.map { CatchUpMessage(id: $0, stanza: try message($0)) }
    }

    private func inbox(_ store: FileSessionStore) -> [String] { store.received.compactMap { $0.stanza["id"] } }

    @Test("a message that comes live and from the archive is stored once, whichever is first, also in the next process")
    func once() async throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let alice = try JID(Self.account)
        let first = try store()
        try await receive([], in: "s1", first)
        #expect(try await first.beginCatchUp(of: alice) == CatchUpState(mark: nil, isComplete: false))
        try await receive(["b"], in: "s1", first)
        try await first.commit(
            archived: archived(["a", "b", "c"]), through: .init(id: "c", stamp: nil), isComplete: true)
        try await receive(["c", "d"], in: "s1", first)
        #expect(inbox(first) == ["m-b", "m-a", "m-c", "m-d"])
        await first.close()

        let second = try store()
        // Resumed: nothing was missed, and the position followed the live messages.
        #expect(try await second.beginCatchUp(of: alice).isComplete)
        #expect(try await second.beginCatchUp(of: alice).mark?.id == "d")
        try await second.commit(archived: archived(["d", "e"]), through: .init(id: "e", stamp: nil), isComplete: true)
        #expect(inbox(second) == ["m-b", "m-a", "m-c", "m-d", "m-e"])
        await second.close()
    }

    @Test(
        "with another session something may be missing: live messages do not move the position until it was caught up")
    func gap() async throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let alice = try JID(Self.account)
        let store = try store()
        _ = try await store.beginCatchUp(of: alice)
        try await receive([], in: "s1", store)
        try await store.commit(archived: [], through: .init(id: "a", stamp: nil), isComplete: true)
        try await receive(["b"], in: "s1", store)
        #expect(try await store.beginCatchUp(of: alice).mark?.id == "b")
        try await receive(["x"], in: "s2", store)
        #expect(
            try await store.beginCatchUp(of: alice)
                == CatchUpState(mark: .init(id: "b", stamp: nil), isComplete: false).stamped(as: store))
        try await store.commit(archived: archived(["c", "x"]), through: .init(id: "x", stamp: nil), isComplete: true)
        #expect(inbox(store) == ["m-b", "m-x", "m-c"])
        try await receive(["y"], in: "s2", store)
        #expect(try await store.beginCatchUp(of: alice).mark?.id == "y")
        // The session is gone: with the next one something may be missing.
        try await store.commit(SessionChange(resumption: nil))
        #expect(try await store.beginCatchUp(of: alice).isComplete == false)
        await store.close()
    }

    @Test("ids that others assigned mean nothing, and another account begins from the start")
    func others() async throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let alice = try JID(Self.account)
        let store = try store()
        _ = try await store.beginCatchUp(of: alice)
        try await receive([], in: "s1", store)
        try await store.commit(archived: [], through: .init(id: "a", stamp: nil), isComplete: true)
        try await receive(["b", "b"], in: "s1", store, by: "mallory@evil.test")
        #expect(inbox(store) == ["m-b", "m-b"])
        #expect(try await store.beginCatchUp(of: alice).mark?.id == "a")
        #expect(
            try await store.beginCatchUp(of: try JID("bob@xmpp.test")) == CatchUpState(mark: nil, isComplete: false))
        await store.close()
    }

    @Test("the number of remembered ids is limited")
    func limit() async throws {
        var progress = SessionJournal.ArchiveProgress(account: Self.account)
        for number in 0..<10_000 { progress.apply(.init(ids: ["\(number)"])) }
        #expect(progress.ids.count == SessionJournal.ArchiveProgress.rememberedIDs)
        #expect(progress.ids.last == "9999")
    }
}

extension CatchUpState {
    /// With the time that the store gave to its mark.
    fileprivate func stamped(as store: FileSessionStore) async throws -> CatchUpState {
        var state = self
        state.mark?.stamp = try await store.beginCatchUp(of: JID("alice@xmpp.test")).mark?.stamp
        return state
    }
}
