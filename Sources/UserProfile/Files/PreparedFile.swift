internal import ChatModel
internal import ChatStore
internal import Dispatch
package import FileSharing
internal import Foundation
internal import Glibc
package import JSONRPC
internal import Localization
package import Media
package import XMPPAddress
internal import XMPPClient

/// A picture or voice message prepared for sending, and saved in the folder of the account.
package struct PreparedFile: Sendable {
    package var outgoing: OutgoingFile
    /// The path of the copy, which the conversation shows and plays.
    package var path: String
    package var sha256: String
    package var details: FileDetails

    /// The largest picture file that is read.
    private static let maximumPictureSize = PictureLimits.maximumByteCount

    /// Scales a picture, removes its metadata and saves a copy.
    package static func picture(file: String, in folder: FileFolder) async throws -> PreparedFile {
        let bytes = try await onOwnThread { Result { try FileFolder.read(file, limit: maximumPictureSize) } }.get()
        return try await picture(bytes, in: folder)
    }

    package static func picture(_ bytes: [UInt8], in folder: FileFolder) async throws -> PreparedFile {
        let picture = try await Picture.prepare(bytes, quality: .standard)
        return try await saved(picture, name: "picture-\(FileDate.now)", in: folder)
    }

    /// A picture to send inside of the message, in the form that old clients expect: as PNG if that is small enough, named by the
    /// time and the user name of the receiver.
    package static func inlinePicture(
        file: String, for receiver: JID, in folder: FileFolder
    ) async throws -> PreparedFile {
        let bytes = try await onOwnThread { Result { try FileFolder.read(file, limit: maximumPictureSize) } }.get()
        var picture = try await Picture.png(of: bytes)
        if picture.bytes.count > InlineMedia.maximumSize {
            picture = try await Picture.prepare(bytes, maximumByteCount: InlineMedia.maximumSize)
        }
        return try await saved(picture, name: FileDate.now + (receiver.local ?? receiver.domain), in: folder)
    }

    private static func saved(_ picture: Picture, name: String, in folder: FileFolder) async throws -> PreparedFile {
        let name = "\(name).\(picture.type.fileExtension)"
        let path = try await onOwnThread { Result { try folder.save(picture.bytes, name: name) } }.get()
        let outgoing = OutgoingFile(
            kind: .picture, name: name, mediaType: picture.type.name, content: picture.bytes, width: picture.width,
            height: picture.height)
        return PreparedFile(outgoing, path: path, FileDetails(picture))
    }

    /// Encodes a sound file if necessary, and saves a copy.
    package static func voice(file: String, in folder: FileFolder) async throws -> PreparedFile {
        try await voice(VoiceMessage.make(fromFile: FileDate.expanded(file)), in: folder)
    }

    package static func voice(_ message: VoiceMessage, in folder: FileFolder) async throws -> PreparedFile {
        let name = "voice-\(FileDate.now).\(message.type.fileExtension)"
        let path = try await onOwnThread { Result { try folder.save(message.bytes, name: name) } }.get()
        let outgoing = OutgoingFile(
            kind: .voice, name: name, mediaType: message.type.name, content: message.bytes,
            length: message.milliseconds)
        return PreparedFile(
            outgoing, path: path,
            FileDetails(type: message.type.name, byteCount: message.bytes.count, milliseconds: message.milliseconds))
    }

    private init(_ outgoing: OutgoingFile, path: String, _ details: FileDetails) {
        self.outgoing = outgoing
        self.path = path
        self.details = details
        sha256 = ContentHash(of: outgoing.content).description
    }

    package var json: [(String, JSONValue)] {
        [("path", .string(path)), ("sha256", .string(sha256))] + details.json
    }
}

extension SendOrder.File {
    package init(_ file: PreparedFile, isInline: Bool) throws(FileFailure) {
        guard !isInline || file.details.byteCount <= InlineMedia.maximumSize else {
            throw FileFailure(
                localized("The file %@ has more than %@.", file.path, Wording.size(InlineMedia.maximumSize)))
        }
        self.init(
            path: file.path, mediaType: file.outgoing.mediaType, name: file.outgoing.name, width: file.outgoing.width,
            height: file.outgoing.height, milliseconds: file.outgoing.length, isInline: isInline)
    }

    /// A file that is sent as it is.
    package init(path: String, isInline: Bool) async throws(FileFailure) {
        let failure = await onOwnThread { () -> FileFailure? in
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else {
                return FileFailure(localized("There is no file %@.", path))
            }
            return FileManager.default.isReadableFile(atPath: path)
                ? nil : FileFailure(localized("The file %@ cannot be read.", path))
        }
        if let failure { throw failure }
        let details = await FileDetails(path: path)
        guard !isInline || details.byteCount <= InlineMedia.maximumSize else {
            throw FileFailure(localized("The file %@ has more than %@.", path, Wording.size(InlineMedia.maximumSize)))
        }
        self.init(
            path: path, mediaType: details.type, name: (path as NSString).lastPathComponent, width: details.width,
            height: details.height, milliseconds: details.milliseconds, isInline: isInline)
    }
}

/// The names of saved files: the kind and the time, such as `picture-20260912-101500.png`.
enum FileDate {
    /// The local time in digits.
    static var now: String {
        var moment = time(nil)
        var parts = tm()
        localtime_r(&moment, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(Int(parts.tm_year) + 1900)\(two(parts.tm_mon + 1))\(two(parts.tm_mday))-"
            + "\(two(parts.tm_hour))\(two(parts.tm_min))\(two(parts.tm_sec))"
    }

    /// A path with `~` replaced by the home folder.
    static func expanded(_ path: String) -> String {
        (path as NSString).expandingTildeInPath
    }
}

/// Runs blocking work (a question on the terminal, a file) on a separate thread, so that nothing else is delayed.
package func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await DispatchQueue.global().run(body)
}
