import ChatStore
import Foundation
import GTKBinding
import ServerFixtures
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatModel

/// A conversation with pictures, voice messages and files, all on this computer.
@MainActor
final class SharedMediaSample {
    let talk: TalkSample
    let media: MediaCache
    private let folder: String
    private var pictures: [[UInt8]] = []

    private init(_ talk: TalkSample, _ media: MediaCache, _ folder: String) {
        self.talk = talk
        self.media = media
        self.folder = folder
    }

    static func make() async throws -> SharedMediaSample {
        let folder = NSTemporaryDirectory() + "shared-media-" + UUID().uuidString
        let media = try await MediaCache.open(at: folder + "/media", budget: 100 << 20)
        let sample = SharedMediaSample(try await TalkSample(media: media, isEnabled: false), media, folder)
        try await sample.talk.save(
            StoredContact(address: sample.talk.romeo, name: sampleWords("Romeo"), subscription: .both))
        return sample
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Geese over hills at different times of day, as small JPEG files.
    private func makePictures() async throws {
        guard pictures.isEmpty else { return }
        let (count, source) = (9, folder + "/geese.bmp")
        guard FileManager.default.createFile(atPath: source, contents: Data(WritingSample.picture(480, 340))) else {
            throw CancellationError()
        }
        var arguments = ["convert", source]
        for number in 0..<count {
            arguments += ["(", "-clone", "0", "-modulate", "\(76 + number * 5),\(130 - number * 7),\(88 + number * 4)"]
            arguments += number % 3 == 0 ? ["-rotate", "90", ")"] : [")"]
        }
        let made = try await OutsideProgram.run(arguments + ["-delete", "0", folder + "/picture-%d.jpg"])
        guard made.status == 0 else { throw CancellationError() }
        pictures = (0..<count).compactMap { number in
            FileManager.default.contents(atPath: "\(folder)/picture-\(number).jpg").map { [UInt8]($0) }
        }
    }

    @discardableResult
    func picture(
        _ number: Int, ago minutes: Int64, from sender: JID? = nil, isOwn: Bool = false, in key: ConversationKey? = nil
    ) async throws -> MessageID {
        try await makePictures()
        let bytes = pictures[number % pictures.count]
        let isUpright = number % pictures.count % 3 == 0
        let attachment = Attachment(
            kind: .picture, mediaType: "image/jpeg", name: "geese-\(number).jpg", size: Int64(bytes.count),
            width: isUpright ? 340 : 480, height: isUpright ? 480 : 340,
            contentHash: try await media.insert(bytes).description, isLocal: true)
        return try await say(attachment, ago: minutes, from: sender, isOwn: isOwn, in: key)
    }

    @discardableResult
    func voice(seconds: Double, ago minutes: Int64, isOwn: Bool = false) async throws -> MessageID {
        let bytes = WritingSample.sound(seconds: seconds)
        let attachment = Attachment(
            kind: .voice, mediaType: "audio/wav", size: Int64(bytes.count), duration: Int64(seconds * 1000),
            contentHash: try await media.insert(bytes).description, isLocal: true)
        return try await say(attachment, ago: minutes, isOwn: isOwn)
    }

    @discardableResult
    func file(
        _ name: String, size: Int64, kind: Attachment.Kind = .file, type: String = "application/pdf",
        ago minutes: Int64, isOwn: Bool = false
    ) async throws -> MessageID {
        try await say(
            Attachment(
                kind: kind, mediaType: type, name: name, size: size, url: "https://files.example/\(minutes)"),
            ago: minutes, isOwn: isOwn)
    }

    private func say(
        _ attachment: Attachment, ago minutes: Int64, from sender: JID? = nil, isOwn: Bool,
        in key: ConversationKey? = nil
    ) async throws -> MessageID {
        try await talk.say(
            .text(MessageText("", attachments: [attachment])), ago: minutes, from: sender, isOwn: isOwn, in: key)
    }

    /// A file that is on this computer, of a type that no program may open without being asked to.
    @discardableResult
    func localFile(_ name: String, ago minutes: Int64, isOwn: Bool = false) async throws -> MessageID {
        let bytes = [UInt8](name.utf8)
        let attachment = Attachment(
            kind: .file, mediaType: "application/vnd.oasis.opendocument.text", name: name, size: Int64(bytes.count),
            contentHash: try await media.insert(bytes).description, isLocal: true)
        return try await say(attachment, ago: minutes, isOwn: isOwn)
    }

    func localFiles() async throws {
        try await localFile("A letter to Friar Laurence.odt", ago: 8000)
        try await localFile("The feast of the Capulets.odt", ago: 2000, isOwn: true)
        try await localFile("A list of everybody who is asked to come.odt", ago: 50)
    }

    /// Files of each kind.
    func everything() async throws {
        try await picturesAndVoice()
        try await file(sampleWords("A letter to Friar Laurence.pdf"), size: 84_000, ago: 8000)
        try await file(
            sampleWords("The feast of the Capulets.mp4"), size: 23_400_000, kind: .video, type: "video/mp4",
            ago: 2000, isOwn: true)
        try await file(
            sampleWords("A list of everybody who is asked to come to the feast, with their servants.ods"),
            size: 1_240_000, type: "application/vnd.oasis.opendocument.spreadsheet", ago: 50)
    }

    func picturesAndVoice() async throws {
        for number in 0..<9 {
            try await picture(number, ago: Int64(20_000 - number * 1500), isOwn: number % 4 == 1)
        }
        try await voice(seconds: 7, ago: 9000)
        try await voice(seconds: 21, ago: 1600, isOwn: true)
        try await voice(seconds: 4, ago: 30)
    }

    func show(
        _ page: String = "pictures", onLeave: @escaping () -> Void = {}
    ) async throws -> SharedMediaWindow {
        await talk.context.prepareDownloads(of: talk.account)
        let shown = SharedMediaWindow.show(
            talk.context.sharedMedia(of: talk.key), title: sampleWords("Romeo"), over: nil, onLeave: onLeave)
        shown.stack.shown = page
        await Toolkit.settle()
        return shown
    }
}

@MainActor
extension SharedPicturesView {
    /// The existing tiles in order.
    var shownTiles: [PictureTile] {
        var found: [Int: PictureTile] = [:]
        grid.forEachRow { found[$0] = $1 }
        return found.sorted { $0.key < $1.key }.map(\.value)
    }
}

@MainActor
extension SharedFilesView {
    var shownRows: [SharedFileRow] {
        var found: [Int: SharedFileRow] = [:]
        list.forEachRow { found[$0] = $1 }
        return found.sorted { $0.key < $1.key }.map(\.value)
    }
}
