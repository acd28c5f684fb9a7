import ChatFixtures
import ChatStore
import ChatStoreTesting
import Cryptography
import Foundation
import GroupChat
import ServerFixtures
import Testing
import XMPPAddress
import XMPPClient

@testable import ChatEngine

/// The folder in which `Scripts/packages omemo` installs it.
private let packages = URL(filePath: #filePath).appending(path: "../../../../.build/python").standardizedFileURL.path

/// slixmpp-omemo, which is not in Debian: `Scripts/packages omemo` installs it beside Debian's slixmpp and python3-omemo.
@Suite(
    "OMEMO with slixmpp", .timeLimit(.minutes(20)),
    .enabled(if: FileManager.default.fileExists(atPath: packages + "/slixmpp_omemo")))
struct SlixmppLiveTests {
    /// The generations in which the two devices with slixmpp announce themselves.
    enum Peers: String, CaseIterable, CustomTestStringConvertible {
        case both, legacy, current
        /// A message for both devices has two encrypted elements.
        case oneOfEach = "one of each"

        var testDescription: String { rawValue }

        fileprivate var generations: [String] {
            let (legacy, current) = ("eu.siacs.conversations.axolotl", "urn:xmpp:omemo:2")
            return switch self {
            case .both: Array(repeating: "\(current),\(legacy)", count: 2)
            case .legacy: [legacy, legacy]
            case .current: [current, current]
            case .oneOfEach: [current, legacy]
            }
        }

        /// Two devices with slixmpp that have no generation in common cannot read each other; ours have both.
        fileprivate func isReadable(_ sender: String, on receiver: String) -> Bool {
            self != .oneOfEach || !(sender.hasPrefix("slixmpp") && receiver.hasPrefix("slixmpp"))
        }
    }

    enum Content: CaseIterable {
        case text, picture, voice

        fileprivate var mediaType: String? {
            switch self {
            case .text: nil
            case .picture: "image/bmp"
            case .voice: "audio/wav"
            }
        }

        /// A text, or a file of which no two are equal.
        fileprivate func bytes(_ number: Int) -> [UInt8] {
            switch self {
            case .text: Array("number \(number) 夜莺 <&>".utf8)
            case .picture: Sample.bitmap(width: 60 + number, height: 50)
            case .voice: Sample.sound(seconds: 1 + Double(number) / 100)
            }
        }
    }

    /// A device of this project, with a store and a media cache of its own.
    fileprivate struct Ours {
        let name: String
        let person: Person
        let media: MediaCache
        private let folder: SpareFolder

        init(_ name: String, _ account: ServerFixtures.Account, on server: RunningServer) async throws {
            self.name = name
            folder = try SpareFolder()
            media = try await MediaCache.open(at: folder.path, budget: 10 << 20)
            var policy = ChatAccountPolicy()
            policy.encryption = OMEMOSettings(identities: TestIdentities(), policy: .always)
            person = try await Person(
                account, on: server, policy: policy, media: media, uploader: ServiceUploader(media: media))
        }

        func send(_ content: Content, _ bytes: [UInt8], in conversation: ConversationKey) async throws {
            guard let mediaType = content.mediaType else {
                _ = try await person.account.send(
                    .text(MessageText(String(decoding: bytes, as: UTF8.self))), in: conversation)
                return
            }
            var file = ChatStore.Attachment(kind: .file, mediaType: mediaType)
            switch content {
            case .text: break
            case .picture: (file.kind, file.name, file.width, file.height) = (.picture, "balcony.bmp", 60, 50)
            case .voice: (file.kind, file.name, file.duration) = (.voice, "song.wav", 1_000)
            }
            file.contentHash = try await media.insert(bytes, isKept: true).description
            (file.size, file.isLocal) = (Int64(bytes.count), true)
            _ = try await person.account.send(.text(MessageText("", attachments: [file])), in: conversation)
        }

        /// Whether the newest of so many messages has this content and was encrypted.
        func reads(
            _ content: Content, _ bytes: [UInt8], as number: Int, in conversation: ConversationKey
        ) async throws -> Bool {
            try await person.wait(in: conversation) { $0.count == number }
            guard let message = try await person.timeline(in: conversation).last,
                case .encrypted(_, _, let trust) = message.protection, trust != .distrusted
            else { return false }
            guard content.mediaType != nil else { return Array(message.text.body.utf8) == bytes }
            guard let fetcher = await person.account.fetcher else { return false }
            let path = try await fetcher.fetch(0, of: message.id)
            // A link of the legacy generation does not say what it leads to.
            let kind = try await person.timeline(in: conversation).last?.text.attachments.first?.kind
            guard kind == (content == .picture ? .picture : .voice) else { return false }
            return FileManager.default.contents(atPath: path).map(Array.init) == bytes
        }
    }

    /// A device with slixmpp.
    fileprivate struct Theirs {
        let name: String
        let account: ServerFixtures.Account
        private let program: OtherProgram
        private let folder: SpareFolder

        init(
            _ name: String, _ account: ServerFixtures.Account, _ generations: String, on server: RunningServer
        ) async throws {
            (self.name, self.account) = (name, account)
            folder = try SpareFolder()
            program = try OtherProgram(
                "peer.py", account, on: server, [server.authorityFile, generations],
                environment: ["PYTHONPATH": packages])
            _ = await program.next("ready")
        }

        func perform(_ command: [String: Any]) async throws {
            try program.type(String(decoding: try JSONSerialization.data(withJSONObject: command), as: UTF8.self))
            let answers = await program.next(#"{"done""#)
            #expect(answers.last?.contains("error") == false, "\(name): \(answers)")
        }

        func send(_ content: Content, _ bytes: [UInt8], to people: [String], in room: JID?) async throws {
            var command: [String: Any] = ["do": "send", "to": people]
            command["room"] = room?.description
            if let mediaType = content.mediaType {
                let path = folder.path + (content == .picture ? "/balcony.bmp" : "/song.wav")
                try Data(bytes).write(to: URL(filePath: path))
                (command["file"], command["type"]) = (path, mediaType)
            } else {
                command["text"] = String(decoding: bytes, as: UTF8.self)
            }
            try await perform(command)
        }

        /// Whether it reads this, in one of its generations, after what it could not read.
        func reads(_ content: Content, _ bytes: [UInt8], by sender: String, _ generations: String) async throws -> Bool
        {
            let hash = HashFunction.sha256.hash(bytes).map { String(format: "%02x", $0) }.joined()
            let lines = await program.next(hash)
            struct Fact: Decodable {
                let read, by, namespace: String
            }
            guard let last = lines.last,
                let fact = try? JSONDecoder().decode(Fact.self, from: Data(last.utf8))
            else {
                Issue.record("\(name): \(lines)")
                return false
            }
            return fact.by == sender && generations.hasPrefix(fact.namespace)
                && (content.mediaType == nil || fact.read == content.mediaType)
        }

        func stop() { program.stop() }
    }

    /// Prints what was tried and what came of it.
    private static func report(_ rows: [String]) { print(rows.joined(separator: "\n")) }

    @Test(
        "each of two devices of both people reads every text, picture and voice message of the other three, in a conversation and in a room",
        arguments: AccountLiveTests.servers, Peers.allCases)
    func devices(kind: ServerKind, peers: Peers) async throws {
        let server = try await kind.shared()
        let names = [try await server.newAccount("romeo"), try await server.newAccount("juliet")]
        var theirs: [Theirs] = []
        defer { for device in theirs { device.stop() } }
        for (number, generations) in peers.generations.enumerated() {
            theirs.append(try await Theirs("slixmpp \(number + 1)", names[1], generations, on: server))
        }
        let ours = [
            try await Ours("ours 1", names[0], on: server), try await Ours("ours 2", names[0], on: server),
        ]
        let (phone, tablet) = (ours[0].person, ours[1].person)
        let everyTheirs = theirs
        let juliet = try JID(names[1].address)
        let room = try JID("tomb-\(names[0].username)@\(server.conferenceDomain)")
        try await phone.whileRunning {
            try await EncryptionLiveTests.waitUntilAnnounced([phone])
            try await tablet.whileRunning {
                try await EncryptionLiveTests.waitUntilAnnounced([tablet])
                try await EncryptionLiveTests.waitUntilKnown(tablet, to: phone)
                try await EncryptionLiveTests.waitUntilKnown(phone, to: tablet)
                try await Self.exchange(ours, everyTheirs, peers, on: kind, in: nil, juliet)
                try await phone.account.rooms.create(
                    room, nickname: "romeo", settings: RoomSettings(access: .membersOnly))
                let chat = try #require(phone.account.session?[GroupChat.self]?.room(room))
                try await chat.setAffiliation(.member, of: juliet)
                try await tablet.account.rooms.enter(room, nickname: "romeo")
                for device in everyTheirs {
                    try await device.perform(["do": "join", "room": room.description, "nick": "juliet"])
                }
                try await Self.exchange(ours, everyTheirs, peers, on: kind, in: room, juliet)
            }
        }
    }

    /// Each device sends one of each content; the others have to read it.
    private static func exchange(
        _ ours: [Ours], _ theirs: [Theirs], _ peers: Peers, on kind: ServerKind, in room: JID?, _ juliet: JID
    ) async throws {
        func key(_ device: Ours) -> ConversationKey {
            room.map { ConversationKey(account: device.person.id, address: $0, kind: .room) }
                ?? device.person.key(juliet)
        }
        let romeo = ours[0].person.address.description
        var (number, rows) = (0, [String]())
        for sender in ours.map(\.name) + theirs.map(\.name) {
            for content in Content.allCases {
                number += 1
                let bytes = content.bytes(number)
                if let device = ours.first(where: { $0.name == sender }) {
                    try await device.send(content, bytes, in: key(device))
                } else if let device = theirs.first(where: { $0.name == sender }) {
                    try await device.send(content, bytes, to: [romeo], in: room)
                }
                let author = ours.contains { $0.name == sender } ? romeo : juliet.description
                var results: [String] = []
                for device in ours where device.name != sender {
                    let isRead = try await device.reads(content, bytes, as: number, in: key(device))
                    #expect(isRead, "\(device.name): \(content) of \(sender)")
                    results.append("\(device.name) \(isRead ? "read" : "FAILED")")
                }
                for (device, generations) in zip(theirs, peers.generations)
                where device.name != sender && peers.isReadable(sender, on: device.name) {
                    let isRead = try await device.reads(content, bytes, by: author, generations)
                    #expect(isRead, "\(device.name): \(content) of \(sender)")
                    results.append("\(device.name) \(isRead ? "read" : "FAILED")")
                }
                rows.append(
                    "OMEMO | \(kind) | \(peers.rawValue) | \(room == nil ? "conversation" : "room") | \(content) of \(sender) | "
                        + results.joined(separator: ", "))
            }
        }
        report(rows)
    }

    @Test(
        "the first message waits for a receiver who is offline, in both directions",
        arguments: AccountLiveTests.servers, [Peers.both, .legacy, .current])
    func offline(kind: ServerKind, peers: Peers) async throws {
        let server = try await kind.shared()
        let names = [
            try await server.newAccount("romeo"), try await server.newAccount("juliet"),
            try await server.newAccount("mercutio"),
        ]
        let generations = peers.generations[0]
        let peer = try await Theirs("slixmpp", names[1], generations, on: server)
        defer { peer.stop() }
        let juliet = try JID(names[1].address)
        let (store, keyring) = (MemoryStore(), TestIdentities())
        func mercutio() async throws -> Person {
            try await EncryptionLiveTests.person(
                names[2], on: server, store: store, identities: keyring, policy: .always)
        }
        let absent = try await mercutio()
        try await absent.whileRunning { try await EncryptionLiveTests.waitUntilAnnounced([absent]) }
        try await peer.send(.text, Content.text.bytes(1), to: [names[2].address], in: nil)
        try await peer.perform(["do": "disconnect"])
        let back = try await mercutio()
        try await back.whileRunning {
            try await back.wait(in: back.key(juliet)) { messages in
                messages.contains {
                    guard case .encrypted(_, _, .trusted) = $0.protection else { return false }
                    return Array($0.text.body.utf8) == Content.text.bytes(1)
                }
            }
        }
        let romeo = try await EncryptionLiveTests.person(names[0], on: server, policy: .always)
        try await romeo.whileRunning {
            try await EncryptionLiveTests.waitUntilAnnounced([romeo])
            _ = try await romeo.account.send(
                .text(MessageText(String(decoding: Content.text.bytes(2), as: UTF8.self))), in: romeo.key(juliet))
            try await romeo.wait(in: romeo.key(juliet)) { $0.count == 1 && $0.allSatisfy { $0.state != .queued } }
        }
        try await peer.perform(["do": "connect"])
        let isRead = try await peer.reads(.text, Content.text.bytes(2), by: names[0].address, generations)
        #expect(isRead)
        Self.report([
            "OMEMO | \(kind) | \(peers.rawValue) | first message, receiver offline | text of slixmpp | ours read",
            "OMEMO | \(kind) | \(peers.rawValue) | first message, receiver offline | text of ours | slixmpp \(isRead ? "read" : "FAILED")",
        ])
    }
}
