public import ChatStore
internal import Foundation
internal import Glibc
public import XMPPAddress

/// The folder in which everything of one person's conversations is kept on this computer: `chat.db` and received files.
///
/// The usual one is that of the variable `HONGYAN_PROFILE`, or `$XDG_DATA_HOME/hongyan` (`~/.local/share/hongyan` without
/// that variable). One program at a time has it open.
///
///     let store = try await Profile().open(for: .writing)
///     …
///     await store.close()
public struct Profile: Sendable {
    /// What the store is opened for.
    public enum Access: Sendable {
        /// To look at what is there; a file that cannot be written to serves.
        case reading
        case writing
    }

    public let folder: String

    /// - Parameter folder: an absolute path, or one from the current folder or `~`; `nil` for the usual one.
    public init(folder: String? = nil) {
        self.folder = folder.map(Self.absolute) ?? Self.usualFolder
    }

    /// The store.
    public var storePath: String { folder + "/chat.db" }

    public var hasStore: Bool { FileManager.default.fileExists(atPath: storePath) }

    /// Opens the store, and makes it with its folder where there is none. Its report says whether it had to be repaired.
    public func open(for access: Access) async throws(ProfileFailure) -> SQLiteStore {
        try makeFolder()
        let store: SQLiteStore
        do throws(StoreError) {
            store = try await SQLiteStore.open(at: storePath)
        } catch {
            throw .store(error, path: storePath)
        }
        if store.report.isReadOnly, access == .writing {
            await store.close()
            throw .store(StoreError(.readOnly, ""), path: storePath)
        }
        return store
    }

    private func makeFolder() throws(ProfileFailure) {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .folder(folder)
        }
        // The usual folder may be there already, with the permissions that somebody else's habit gave it.
        if folder == Self.usualFolder { chmod(folder, 0o700) }
    }

    // MARK: Files

    /// Where files of an account are kept that the person has seen or made.
    public func filesFolder(of account: JID) -> String {
        // A local part may hold what a file system minds; `@` it cannot hold.
        folder + "/files/" + Self.fileName(account.bare.description)
    }

    /// Where media of an account are kept by the program itself: see ``openMedia(of:waiting:)``.
    public func mediaFolder(of account: JID) -> String {
        folder + "/media/" + Self.fileName(account.bare.description)
    }

    /// Opens what is kept of an account's media.
    ///
    /// - Parameter waiting: what waits to be sent, whose files must not be evicted.
    public func openMedia(of account: JID, waiting: [QueuedMessage] = []) async throws(StoreError) -> MediaCache {
        let hashes = waiting.flatMap(\.message.text.attachments).compactMap {
            $0.contentHash.flatMap { ContentHash($0) }
        }
        return try await MediaCache.open(
            at: mediaFolder(of: account), budget: ProfileUploader.budget, pinned: hashes)
    }

    /// Removes the files and media of an account, once its media are closed.
    public func removeFiles(of account: JID) {
        for path in [filesFolder(of: account), mediaFolder(of: account)] {
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    private static func fileName(_ text: String) -> String {
        let name = String(text.map { "/\\".contains($0) ? "_" : $0 })
        return name.hasPrefix(".") ? "_" + name : name
    }

    public static var usualFolder: String {
        let environment = ProcessInfo.processInfo.environment
        if let folder = environment["HONGYAN_PROFILE"], !folder.isEmpty { return absolute(folder) }
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return data + "/hongyan" }
        return NSHomeDirectory() + "/.local/share/hongyan"
    }

    private static func absolute(_ path: String) -> String {
        let path = (path as NSString).expandingTildeInPath
        let whole = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        return whole.count > 1 && whole.hasSuffix("/") ? String(whole.dropLast()) : whole
    }
}
