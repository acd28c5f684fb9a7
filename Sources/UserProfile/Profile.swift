public import ChatEngine
public import ChatModel
public import ChatStore
internal import Foundation
internal import Glibc
public import XMPPAddress
internal import XMPPClient

/// The folder with all conversations of a user on this computer: `chat.db` and received files.
///
/// The default is the variable `HONGYAN_PROFILE`, otherwise `$XDG_DATA_HOME/hongyan` (`~/.local/share/hongyan` without
/// that variable). Only one program at a time can write to the store; others can read it.
///
///     let store = try await Profile().open(for: .writing)
///     …
///     await store.close()
public struct Profile: Sendable {
    /// The purpose of opening the store.
    public enum Access: Sendable {
        /// Reading only; a file without write permission is sufficient, and another program can have the store open.
        case reading
        case writing
    }

    public let folder: String

    /// - Parameter folder: an absolute path, or one relative to the current folder or `~`; `nil` for the default.
    public init(folder: String? = nil) {
        self.folder = folder.map(Self.absolute) ?? Self.usualFolder
    }

    /// The store.
    public var storePath: String { folder + "/chat.db" }

    public var hasStore: Bool { FileManager.default.fileExists(atPath: storePath) }

    /// Opens the store, and creates it with its folder if there is none. The report says whether it had to be repaired.
    public func open(for access: Access) async throws(ProfileFailure) -> SQLiteStore {
        try makeFolder()
        let store: SQLiteStore
        do throws(StoreError) {
            store = try await SQLiteStore.open(at: storePath, isShared: access == .reading)
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
        // The default folder may already exist with wider permissions.
        if folder == Self.usualFolder { chmod(folder, 0o700) }
    }

    // MARK: Files

    /// The folder of an account's files that the user has seen or created.
    public func filesFolder(of account: JID) -> String {
        // A local part may contain characters that a file system forbids, but never `@`.
        folder + "/files/" + Self.fileName(account.bare.description)
    }

    /// The folder of an account's media that the program manages itself: see ``openMedia(of:waiting:)``.
    public func mediaFolder(of account: JID) -> String {
        folder + "/media/" + Self.fileName(account.bare.description)
    }

    /// Opens the stored media of an account.
    ///
    /// - Parameter waiting: files in the send queue, which must not be evicted.
    public func openMedia(of account: JID, waiting: [QueuedMessage] = []) async throws(StoreError) -> MediaCache {
        let hashes = waiting.flatMap(\.message.text.attachments).compactMap {
            $0.contentHash.flatMap { ContentHash($0) }
        }
        return try await MediaCache.open(
            at: mediaFolder(of: account), budget: ProfileUploader.budget, pinned: hashes)
    }

    /// The caches of an account, in a folder that is created if necessary. Without that folder nothing is stored.
    public func caches(of account: JID) -> AccountCaches {
        let folder = cacheFolder(of: account)
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return AccountCaches(
            contacts: CacheFile(path: folder + "/contacts.xml"),
            capabilities: CacheFile(path: folder + "/capabilities.xml"))
    }

    private func cacheFolder(of account: JID) -> String {
        folder + "/cache/" + Self.fileName(account.bare.description)
    }

    /// Removes the files, media and caches of an account, after its media are closed.
    public func removeFiles(of account: JID) {
        for path in [filesFolder(of: account), mediaFolder(of: account), cacheFolder(of: account)] {
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
        return mainFolder
    }

    /// The folder of the profile that people have who choose none.
    static var mainFolder: String {
        let environment = ProcessInfo.processInfo.environment
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return data + "/hongyan" }
        return NSHomeDirectory() + "/.local/share/hongyan"
    }

    private static func absolute(_ path: String) -> String {
        let path = (path as NSString).expandingTildeInPath
        let whole = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        return whole.count > 1 && whole.hasSuffix("/") ? String(whole.dropLast()) : whole
    }
}

extension Profile {
    private var preferencesPath: String { folder + "/preferences.json" }

    /// The preferences of the user, stored in `preferences.json`; each change is written at once.
    public func preferences() async -> Preferences {
        let data = PrivateFile.read(preferencesPath)
        let values = data.flatMap { try? JSONDecoder().decode(PreferenceValues.self, from: $0) } ?? PreferenceValues()
        let path = preferencesPath
        return await Preferences(values) { values in
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            // If nothing can be written, the choice is valid until the program ends.
            if let data = try? encoder.encode(values) { _ = PrivateFile.write(data, to: path) }
        }
    }
}
