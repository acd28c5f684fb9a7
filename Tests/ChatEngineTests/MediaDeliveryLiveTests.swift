import ChatEngine
import ChatFixtures
import ChatStore
import Media
import MessagePayloads
import ServerFixtures
import Synchronization
import Testing
import XMPPAddress
import XMPPClient
import XMPPStanzas

@Suite("Pictures and voice messages on their way", .timeLimit(.minutes(10)))
struct MediaDeliveryLiveTests {
    @Test(
        "S0-93, S0-101: without an upload service a picture and a voice message go inside of the message; a large picture is made smaller"
    )
    func inline() async throws {
        let server = try await PrivateProsody.shared(ServerOptions { $0.removedModules = ["http_file_share"] })
        let (romeo, juliet) = (try await FileDevice("romeo", on: server), try await FileDevice("juliet", on: server))
        let small = try await Picture.prepare(Sample.bitmap(width: 40, height: 30), quality: .standard)
        let large = try await Picture.prepare(Sample.bitmap(width: 1600, height: 1200), quality: .original)
        #expect(large.bytes.count > 2 * InlineMedia.maximumSize)
        let sound = try await VoiceMessage.make(fromBytes: Sample.sound(seconds: 1))
        let key = romeo.person.key(juliet.person.address)
        try await romeo.person.befriend(juliet.person)
        try await romeo.person.whileRunning {
            try await juliet.person.whileRunning {
                let files = [
                    try await romeo.attachment(small.bytes, .picture, small.type.name, "small.jpg"),
                    try await romeo.attachment(large.bytes, .picture, large.type.name, "large.png"),
                    try await romeo.attachment(sound.bytes, .voice, "audio/ogg", "hello.ogg"),
                ]
                for file in files {
                    _ = try await romeo.person.account.send(.text(MessageText("", attachments: [file])), in: key)
                }
                try await juliet.person.wait(for: romeo.person) { timeline in
                    timeline.count == 3 && timeline.allSatisfy { $0.text.attachments.first?.isLocal == true }
                }
                // What the other side has is what was sent, and what the sender shows.
                let received = try await juliet.person.timeline(with: romeo.person.address)
                let contents = try await received.contents(in: juliet.media)
                #expect(contents.contains(small.bytes) && contents.contains(sound.bytes))
                let scaled = try #require(contents.first { $0 != small.bytes && $0 != sound.bytes })
                #expect(scaled.count <= InlineMedia.maximumSize)
                let file = try PictureFile.inspect(scaled)
                #expect(abs(file.width * 3 - file.height * 4) <= 4 && file.width >= Picture.tinySide)
                try await romeo.person.wait(for: juliet.person) { $0.allSatisfy { $0.state == .delivered } }
                let sent = try await romeo.person.timeline(with: juliet.person.address)
                #expect(try await sent.contents(in: romeo.media).contains(scaled))

                // Nothing is lost in silence: a file, a long recording and a text beside a picture fail with the reason.
                let long = [UInt8](repeating: 7, count: InlineMedia.maximumSize + 1)
                let failing = [
                    MessageText("", attachments: [try await romeo.attachment([1, 2], .file, "text/csv", "a.csv")]),
                    MessageText("", attachments: [try await romeo.attachment(long, .voice, "audio/ogg", "long.ogg")]),
                    MessageText("look", attachments: [files[0]]),
                ]
                for text in failing { _ = try await romeo.person.account.send(.text(text), in: key) }
                try await romeo.person.wait(for: juliet.person) { timeline in
                    timeline.count { $0.state == .failed(FailureReason(.notSent, condition: "no-upload")) } == 3
                }
            }
        }
        await romeo.media.close()
        await juliet.media.close()
    }

    @Test("the thumbnail of a file arrives with the message; one that would cost much to decode is not stored")
    func thumbnails() async throws {
        let server = try await ServerKind.prosody13.shared()
        let romeo = try await Person(try await server.newAccount("romeo"), on: server)
        let juliet = try await Person(try await server.newAccount("juliet"), on: server)
        let small = try await Picture.thumbnail(of: Sample.bitmap(width: 400, height: 300), max: 64)
        // A PNG of a few bytes that claims 20,000 × 20,000 pixels.
        var bomb: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
        bomb += [0, 0, 0x4E, 0x20, 0, 0, 0x4E, 0x20, 8, 2, 0, 0, 0, 0, 0, 0, 0]
        let pictures = ["1": small.bytes, "2": bomb, "3": Array("<svg/>".utf8)]
        try await romeo.befriend(juliet)
        try await romeo.whileRunning {
            try await juliet.whileRunning {
                for (name, picture) in pictures.sorted(by: { $0.key < $1.key }) {
                    let file = Attachment(
                        kind: .picture, mediaType: "image/jpeg", name: name, size: 7,
                        url: "https://files.example/\(name).jpg", thumbnail: picture)
                    _ = try await romeo.account.send(
                        .text(MessageText("", attachments: [file])), in: romeo.key(juliet.address))
                }
                try await juliet.wait(for: romeo) { $0.count == 3 }
                let received = try await juliet.timeline(with: romeo.address).flatMap(\.text.attachments)
                #expect(received.first { $0.name == "1" }?.thumbnail == small.bytes)
                #expect(received.filter { $0.thumbnail != nil }.count == 1)
            }
        }
    }
}

extension [StoredMessage] {
    fileprivate func contents(in media: MediaCache) async throws -> [[UInt8]] {
        var contents: [[UInt8]] = []
        for attachment in flatMap(\.text.attachments) {
            guard let hash = attachment.contentHash.flatMap({ ContentHash($0) }) else { continue }
            if let content = try await media.content(of: hash) { contents.append(content) }
        }
        return contents
    }
}
