import ChatEngine
import ChatModel
import ChatStore
import ChatStoreTesting
import Foundation
import GTKBinding
import Media
import Observation
import SpellChecking
import XMPPAddress

@testable import ChatApp

/// A user who writes to Romeo, without a network.
@MainActor
@Observable
final class WritingSample {
    let store = MemoryStore()
    let key: ConversationKey
    let media: MediaCache
    let folder: String
    var said: [String] = []
    var nicknames: [String] = []
    /// `nil` outside of a room.
    var mayAddressEverybody: Bool?
    var spelling: SpellChecker?
    var checksSpelling = true

    /// Does what an account does, in the store only.
    private struct Actions: ConversationActions {
        let store: any LocalStore
        let own: JID

        func send(_ content: MessageContent, in key: ConversationKey) async throws(StoreError) -> MessageID {
            let message = OutgoingMessage(
                sender: own, originID: UUID().uuidString, time: MessageTime(Date()), content: content)
            return try await store.write { writer throws(StoreError) in try writer.send(message, in: key) }
        }
        func retry(_ message: MessageID) async throws(StoreError) {}
        func cancel(_ message: MessageID) async throws(StoreError) {}
        func opened(_ key: ConversationKey?) async {}
        func loadOlder(in key: ConversationKey) async -> OlderHistory { .notNow }
        func markRead(upTo message: MessageID, in key: ConversationKey) async throws(StoreError) {}
        func setComposing(_ isComposing: Bool, in key: ConversationKey) async {}
    }

    private let actions: Actions

    private static let style: Void = Style.use()

    init() async throws {
        Self.style
        let juliet = try JID("juliet@capulet.example")
        let account = try await store.write { writer throws(StoreError) in try writer.addAccount(juliet) }
        key = ConversationKey(account: account, address: try JID("romeo@montague.example"), kind: .direct)
        actions = Actions(store: store, own: juliet)
        folder = NSTemporaryDirectory() + "chat-app-" + UUID().uuidString
        media = try await MediaCache.open(at: folder + "/media", budget: 100 << 20)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func view(voice: VoiceComposer? = nil) -> ComposerView {
        let composer = Composer(key, store: store, actions: actions, media: media)
        var place = ComposerContext(
            composer: composer, media: media, recordings: VoiceComposer.folder(of: key, in: media))
        place.voice = voice
        place.spelling = spelling
        place.checksSpelling = { [weak self] in self?.checksSpelling ?? true }
        place.nicknames = { [weak self] in self?.nicknames ?? [] }
        if mayAddressEverybody != nil {
            place.mayAddressEverybody = { [weak self] in self?.mayAddressEverybody ?? false }
        }
        place.showToast = { [weak self] in self?.said.append($0) }
        return ComposerView(place)
    }

    func receive(_ body: String, attachments: [Attachment] = []) async throws -> MessageID {
        let (key, time, body) = (key, MessageTime(Date()), sampleWords(body))
        return try await store.write { writer throws(StoreError) in
            try writer.receive(
                MessageCopy(
                    route: .live, sender: key.address, wireID: body, time: time,
                    content: .text(MessageText(body, attachments: attachments))), in: key
            ).id
        }
    }

    func messages() async throws -> [StoredMessage] {
        let key = key
        return try await store.read { reader throws(StoreError) in
            guard let id = try reader.conversation(key) else { return [] }
            return try reader.timeline(of: id, .newest, limit: 100)
        }
    }

    /// A picture of the given size: geese over hills in the evening.
    static func picture(_ width: Int, _ height: Int) -> [UInt8] { Scenery(width: width, height: height).bitmap }

    /// A tone of 440 Hz at the usual sample rate; a lower rate makes the file smaller and the tone deeper.
    static func sound(seconds: Double, repeated times: Int = 1, rate: Int = 16_000) -> [UInt8] {
        func little(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let count = Int(seconds * Double(rate))
        var bytes = Array("RIFF".utf8) + little(36 + count * 2 * times, 4) + Array("WAVEfmt ".utf8) + little(16, 4)
        bytes += little(1, 2) + little(1, 2) + little(rate, 4) + little(rate * 2, 4) + little(2, 2) + little(16, 2)
        bytes += Array("data".utf8) + little(count * 2 * times, 4)
        var tone: [UInt8] = []
        for index in 0..<count {
            let loud = 0.2 + 0.8 * abs(sin(Double(index) / Double(rate) * 1.8))
            tone += little(Int(20_000 * loud * sin(Double(index) * 2 * .pi * 440 / 16_000)), 2)
        }
        for _ in 0..<times { bytes += tone }
        return bytes
    }
}

typealias Attachment = ChatStore.Attachment
