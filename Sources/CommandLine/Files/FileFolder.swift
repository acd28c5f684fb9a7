internal import ChatModel
internal import ChatStore
internal import FileSharing
internal import Foundation
internal import Localization
internal import Media
internal import TerminalApp
internal import UserProfile
internal import XMPPAddress

/// The folder for pictures, voice messages and files of an account: `files/<account>` in the profile, which is
/// `$XDG_DATA_HOME/hongyan` by default.
struct FileFolder: Sendable {
    let path: String

    init(account: JID, in profile: Profile) throws(CommandError) {
        path = profile.filesFolder(of: account)
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .failed(localized("The folder %@ cannot be created.", path))
        }
    }

    /// Saves `content` atomically under `name`, or under a numbered name if that is in use.
    func keep(_ content: [UInt8], name: String) throws(CommandError) -> String {
        try place(name) { try Data(content).write(to: URL(fileURLWithPath: $0), options: .atomic) }
    }

    /// Saves a copy of a received file under the name given by its sender, made safe.
    func keep(copyOf path: String, _ attachment: Attachment) throws(CommandError) -> String {
        let head = FileHandle(forReadingAtPath: path).flatMap { try? $0.read(upToCount: MediaType.sniffedByteCount) }
        let name = SafeFileName(
            attachment.name, fallback: attachment.kind.word,
            fileExtension: MediaType(sniffing: Array(head ?? Data())).fileExtension)
        return try place(name.description) { try FileManager.default.copyItem(atPath: path, toPath: $0) }
    }

    /// Writes a file under a name, or under a numbered name if that is in use.
    private func place(_ name: String, _ write: (String) throws -> Void) throws(CommandError) -> String {
        let stem = (name as NSString).deletingPathExtension
        let suffix = (name as NSString).pathExtension
        var target = path + "/" + name
        var number = 2
        while FileManager.default.fileExists(atPath: target) {
            target = "\(path)/\(stem)-\(number)" + (suffix.isEmpty ? "" : "." + suffix)
            number += 1
        }
        do {
            try write(target)
        } catch {
            throw .failed(localized("%@ cannot be written.", target))
        }
        return target
    }

    static var currentDirectory: String { FileManager.default.currentDirectoryPath }

    /// The bytes of a file of the user.
    static func read(_ file: String, limit: Int) throws(CommandError) -> [UInt8] {
        let path = (file as NSString).expandingTildeInPath
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else {
            throw .failed(localized("There is no file %@.", file))
        }
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw .failed(localized("The file %@ cannot be read.", file))
        }
        guard let data = try? handle.read(upToCount: limit + 1) else {
            throw .failed(localized("The file %@ cannot be read.", file))
        }
        guard data.count <= limit else {
            throw .failed(localized("The file %@ has more than %@.", file, Wording.size(limit)))
        }
        return Array(data)
    }
}
