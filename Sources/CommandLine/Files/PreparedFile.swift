internal import ChatStore
internal import FileSharing
internal import Foundation
internal import Glibc
internal import Localization
internal import Media
internal import TerminalApp

/// A picture or voice message prepared for sending, and saved in the folder of the account.
struct PreparedFile: Sendable {
    var outgoing: OutgoingFile
    /// The path of the copy, which the conversation shows and plays.
    var path: String
    var sha256: String
    var details: FileDetails

    /// The largest picture file that is read.
    private static let maximumPictureSize = PictureLimits.maximumByteCount

    /// Scales a picture, removes its metadata and saves a copy.
    static func picture(file: String, in folder: FileFolder) async throws -> PreparedFile {
        let bytes = try await onOwnThread { Result { try FileFolder.read(file, limit: maximumPictureSize) } }.get()
        return try await picture(bytes, in: folder)
    }

    static func picture(_ bytes: [UInt8], in folder: FileFolder) async throws -> PreparedFile {
        let picture = try await Picture.prepare(bytes, quality: .standard)
        let name = "picture-\(FileDate.now).\(picture.type.fileExtension)"
        let path = try await onOwnThread { Result { try folder.keep(picture.bytes, name: name) } }.get()
        let outgoing = OutgoingFile(
            kind: .picture, name: name, mediaType: picture.type.name, content: picture.bytes, width: picture.width,
            height: picture.height)
        return PreparedFile(outgoing, path: path, FileDetails(picture))
    }

    /// Encodes a sound file if necessary, and saves a copy.
    static func voice(file: String, in folder: FileFolder) async throws -> PreparedFile {
        try await voice(VoiceMessage.make(fromFile: FileDate.expanded(file)), in: folder)
    }

    static func voice(_ message: VoiceMessage, in folder: FileFolder) async throws -> PreparedFile {
        let name = "voice-\(FileDate.now).\(message.type.fileExtension)"
        let path = try await onOwnThread { Result { try folder.keep(message.bytes, name: name) } }.get()
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

    var json: [(String, JSONValue)] {
        [("path", .string(path)), ("sha256", .string(sha256))] + details.json
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

/// Records from the microphone into a temporary file, which is removed afterwards.
enum Recording {
    /// Records for this time, and shows the level on the terminal.
    static func voice(seconds: Int) async throws -> VoiceMessage {
        let recorder = try begin(maximum: .seconds(seconds))
        defer { unlink(recorder.path) }
        try await recorder.start()
        let isTerminal = isatty(STDERR_FILENO) == 1
        let meter = Task {
            for await level in recorder.levels where isTerminal {
                StandardOutput.write(
                    "\r" + VoiceMeter.line(time: level.time, peak: level.peak) + "\u{1B}[K", to: STDERR_FILENO)
            }
            if isTerminal { StandardOutput.write("\r\u{1B}[K", to: STDERR_FILENO) }
        }
        defer { meter.cancel() }
        return try await recorder.waitForEnd()
    }

    static func begin(maximum: Duration = VoiceRecorder.defaultMaximumDuration) throws(MediaError) -> VoiceRecorder {
        let path = NSTemporaryDirectory() + "/hongyan-\(UUID().uuidString).ogg"
        return try VoiceRecorder(from: .microphone(), to: path, maximumDuration: maximum)
    }
}
