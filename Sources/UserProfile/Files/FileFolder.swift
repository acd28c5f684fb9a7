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

    /// A folder of the user, which exists.
    package init(path: String) { self.path = path }

    /// Saves `content` under `name`, or under a numbered name if that is in use.
    package func save(_ content: [UInt8], name: String) throws(FileFailure) -> String {
        try save(as: SafeFileName(name, fallback: name)) { try Data(content).write(to: URL(filePath: $0)) }
    }

    /// Saves a copy of a received file under the name given by its sender, made safe.
    package func save(copyOf path: String, _ attachment: Attachment) throws(FileFailure) -> String {
        let head = FileHandle(forReadingAtPath: path).flatMap { try? $0.read(upToCount: MediaType.sniffedByteCount) }
        let name = SafeFileName(
            attachment.name, fallback: attachment.kind.word,
            fileExtension: MediaType(sniffing: Array(head ?? Data())).fileExtension)
        return try save(as: name) { try FileManager.default.copyItem(atPath: path, toPath: $0) }
    }

    /// Saves a copy of a file under a name from the network, made safe, that keeps its extension: the user sees where it is
    /// saved.
    package func save(copyOf path: String, name: String) throws(FileFailure) -> String {
        try save(as: SafeFileName(name, fallback: "file")) {
            try FileManager.default.copyItem(atPath: path, toPath: $0)
        }
    }

    private func save(as name: SafeFileName, _ write: (String) throws -> Void) throws(FileFailure) -> String {
        let file = UnfinishedFile(in: path)
        do {
            try write(file.path)
            return try file.finish(as: name)
        } catch {
            throw FileFailure(localized("%@ cannot be written.", "\(path)/\(name)"))
        }
    }

    /// Copies a file to a path that the user has chosen. What is there is replaced once the copy is complete.
    package static func copy(_ path: String, to target: String) throws(FileFailure) {
        let file = UnfinishedFile(in: (target as NSString).deletingLastPathComponent)
        do {
            try FileManager.default.copyItem(atPath: path, toPath: file.path)
            try file.finish(replacing: target)
        } catch {
            throw FileFailure(localized("%@ cannot be written.", target))
        }
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
