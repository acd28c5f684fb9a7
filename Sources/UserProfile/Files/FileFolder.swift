internal import ChatModel
package import ChatStore
internal import FileSharing
internal import Foundation
internal import Localization
internal import Media
package import XMPPAddress

/// Why a file of the user cannot be read, prepared or saved, as a message for the user.
package struct FileFailure: Error, Sendable {
    package let message: String

    init(_ message: String) { self.message = message }
}

/// The folder for pictures, voice messages and files of an account: `files/<account>` in the profile, which is
/// `$XDG_DATA_HOME/hongyan` by default.
package struct FileFolder: Sendable {
    package let path: String

    package init(account: JID, in profile: Profile) throws(FileFailure) {
        path = profile.filesFolder(of: account)
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw FileFailure(localized("The folder %@ cannot be created.", path))
        }
    }

    /// Saves `content` atomically under `name`, or under a numbered name if that is in use.
    package func save(_ content: [UInt8], name: String) throws(FileFailure) -> String {
        try place(name) { try Data(content).write(to: URL(fileURLWithPath: $0), options: .atomic) }
    }

    /// Saves a copy of a received file under the name given by its sender, made safe.
    package func save(copyOf path: String, _ attachment: Attachment) throws(FileFailure) -> String {
        let head = FileHandle(forReadingAtPath: path).flatMap { try? $0.read(upToCount: MediaType.sniffedByteCount) }
        let name = SafeFileName(
            attachment.name, fallback: attachment.kind.word,
            fileExtension: MediaType(sniffing: Array(head ?? Data())).fileExtension)
        return try place(name.description) { try FileManager.default.copyItem(atPath: path, toPath: $0) }
    }

    /// Writes a file under a name, or under a numbered name if that is in use.
    private func place(_ name: String, _ write: (String) throws -> Void) throws(FileFailure) -> String {
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
            throw FileFailure(localized("%@ cannot be written.", target))
        }
        return target
    }

    package static var currentDirectory: String { FileManager.default.currentDirectoryPath }

    /// The bytes of a file of the user.
    package static func read(_ file: String, limit: Int) throws(FileFailure) -> [UInt8] {
        let path = (file as NSString).expandingTildeInPath
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else {
            throw FileFailure(localized("There is no file %@.", file))
        }
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw FileFailure(localized("The file %@ cannot be read.", file))
        }
        guard let data = try? handle.read(upToCount: limit + 1) else {
            throw FileFailure(localized("The file %@ cannot be read.", file))
        }
        guard data.count <= limit else {
            throw FileFailure(localized("The file %@ has more than %@.", file, Wording.size(limit)))
        }
        return Array(data)
    }
}
