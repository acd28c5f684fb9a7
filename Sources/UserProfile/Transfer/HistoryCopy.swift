package import ChatStore
internal import Cryptography
internal import Foundation
internal import Localization

/// Copies all messages of a profile, with their pictures and files if they are wanted, into a file and from it.
///
///     let copy = HistoryCopy(store)
///     let exported = try await copy.export(to: "backup.jsonl", filesFrom: { profile.mediaFolder(of: $0.address) })
///     let report = try await HistoryCopy(other).take("backup.jsonl") { await home.media(of: $0.id) }
///
/// The pictures and files lie in a folder beside the file, `backup.jsonl.files`, each under the SHA-256 of its content, and
/// so once. The file of the messages is finished last: an export that was interrupted has none.
package struct HistoryCopy: Sendable {
    package let store: any LocalStore

    /// How far a copy is.
    package enum Progress: Sendable, Hashable {
        case messages
        case files(done: Int, of: Int)
    }

    /// What an import has added.
    package struct Import: Sendable, Equatable {
        package var messages: ImportReport
        /// Pictures and files that were not here.
        package var files = 0
        /// Those for which the space that is meant for an account's files is too small.
        package var filesLeftOut = 0

        /// What was added, in words for the user.
        package var sentence: String {
            var parts = [localized("%@ imported, %@ were already here.", messages.added, messages.known)]
            if files > 0 { parts.append(localized("Pictures and files: %@.", files)) }
            if filesLeftOut > 0 {
                parts.append(localized("There is no room for %@ of them.", filesLeftOut))
            }
            return parts.joined(separator: " ")
        }
    }

    /// Why a copy failed.
    package enum Failure: Error, Sendable {
        /// In words for the user.
        case sentence(String)
        case store(StoreError)
        case cancelled
    }

    private static let pageSize = 200
    /// In bytes: large files are copied in pieces of this size.
    private static let pieceSize = 1 << 20

    package init(_ store: any LocalStore) { self.store = store }

    /// The folder of the pictures and files of an export.
    package static func filesFolder(of path: String) -> String { path + ".files" }

    // MARK: Export

    /// Writes all messages into a file, completely or not at all.
    ///
    /// - Parameters:
    ///   - path: `nil` is standard output, which takes no files.
    ///   - folder: where the contents of an account are (``MediaCache/path``); `nil` leaves all files out.
    /// - Returns: the number of pictures and files.
    @concurrent
    package func export(
        to path: String?, filesFrom folder: (@Sendable (Account) async -> String?)? = nil,
        progress: @Sendable (Progress) -> Void = { _ in }
    ) async throws(Failure) -> Int {
        let file: WholeFile
        do throws(HistoryFileFailure) { file = try WholeFile(path) } catch { throw .sentence(error.message) }
        var count = 0
        do throws(Failure) {
            progress(.messages)
            do throws(StoreError) {
                try await store.export { bytes throws(StoreError) in
                    guard !Task.isCancelled else { throw StoreError(.invalidRequest, "The export was cancelled.") }
                    try file.write(bytes)
                }
            } catch {
                throw Task.isCancelled ? .cancelled : Self.failure(error, writing: path)
            }
            if let folder, let path { count = try await exportFiles(beside: path, from: folder, progress) }
        } catch {
            file.discard()
            throw error
        }
        do throws(HistoryFileFailure) { try file.finish() } catch { throw .sentence(error.message) }
        return count
    }

    private func exportFiles(
        beside path: String, from folder: @Sendable (Account) async -> String?, _ progress: @Sendable (Progress) -> Void
    ) async throws(Failure) -> Int {
        let contents = try await contents()
        guard !contents.isEmpty else { return 0 }
        let target = Self.filesFolder(of: path)
        do {
            try FileManager.default.createDirectory(
                atPath: target, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .sentence(WholeFile.failure(target).message)
        }
        var copied: Set<ContentHash> = []
        for (index, content) in contents.enumerated() {
            guard !Task.isCancelled else { throw .cancelled }
            progress(.files(done: index, of: contents.count))
            guard !copied.contains(content.hash), let folder = await folder(content.account),
                let source = MediaCache.file(of: content.hash, in: folder)
            else { continue }
            if try Self.copy(source, to: "\(target)/\(content.hash)", content.hash) { copied.insert(content.hash) }
        }
        progress(.files(done: contents.count, of: contents.count))
        return copied.count
    }

    /// - Returns: `false` if the file has gone meanwhile, or is damaged.
    private static func copy(_ source: String, to target: String, _ hash: ContentHash) throws(Failure) -> Bool {
        guard let reader = FileHandle(forReadingAtPath: source) else { return false }
        defer { try? reader.close() }
        let file: WholeFile
        do throws(HistoryFileFailure) { file = try WholeFile(target) } catch { throw .sentence(error.message) }
        var digest = Digest(.sha256)
        while let piece = try? reader.read(upToCount: pieceSize), !piece.isEmpty {
            let bytes = [UInt8](piece)
            digest.update(bytes)
            do throws(StoreError) {
                try file.write(bytes)
            } catch {
                file.discard()
                throw failure(error, writing: target)
            }
        }
        guard Hex.encode(digest.finish()) == hash.description else {
            file.discard()
            return false
        }
        do throws(HistoryFileFailure) { try file.finish() } catch { throw .sentence(error.message) }
        return true
    }

    /// A failure of the disk concerns the file that is written, not the store that is read.
    private static func failure(_ error: StoreError, writing path: String?) -> Failure {
        error.code == .diskFull || error.code == .system
            ? .sentence(WholeFile.failure(path).message) : .store(error)
    }

    // MARK: Import

    /// Adds the messages of an export to those that are here, and the pictures and files beside it; nothing is sent.
    ///
    /// - Parameters:
    ///   - path: `-` is standard input, which has no files.
    ///   - media: the files of an account; `nil` leaves its files out.
    @concurrent
    package func take(
        _ path: String, into media: @Sendable (Account) async -> MediaCache?,
        progress: @Sendable (Progress) -> Void = { _ in }
    ) async throws(Failure) -> Import {
        let lines: ImportedLines
        do throws(HistoryFileFailure) {
            lines = ImportedLines(try LineReader(path))
        } catch {
            throw .sentence(error.message)
        }
        progress(.messages)
        var result: Import
        do throws(StoreError) {
            result = Import(messages: try await store.importLines(lines))
        } catch {
            throw Self.failure(error, reading: path, line: lines.lastNumber)
        }
        let folder = Self.filesFolder(of: path)
        guard path != "-", FileManager.default.fileExists(atPath: folder) else { return result }
        let contents = try await contents()
        for (index, content) in contents.enumerated() {
            guard !Task.isCancelled else { throw .cancelled }
            progress(.files(done: index, of: contents.count))
            let source = "\(folder)/\(content.hash)"
            guard let size = Self.size(of: source), let cache = await media(content.account),
                await !cache.contains(content.hash)
            else { continue }
            // What is here already is not pushed out for it.
            guard await cache.size + size <= cache.budget else {
                result.filesLeftOut += 1
                continue
            }
            do throws(StoreError) {
                try await cache.insert(contentsOf: source, expecting: content.hash)
                result.files += 1
            } catch {
                // A damaged file has another hash than its name.
                guard error.code == .invalidRequest else { throw .store(error) }
            }
        }
        progress(.files(done: contents.count, of: contents.count))
        return result
    }

    /// `nil` for what is no file.
    private static func size(of path: String) -> Int64? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard attributes?[.type] as? FileAttributeType == .typeRegular else { return nil }
        return (attributes?[.size] as? NSNumber)?.int64Value
    }

    private static func failure(_ error: StoreError, reading path: String, line: Int) -> Failure {
        switch error.code {
        case .invalidImport:
            .sentence(
                localized(
                    "Line %@ of %@ does not belong to an export; the lines before it were imported.", line, path))
        case .tooNew:
            .sentence(localized("%@ was written by a newer version of this program; use that one.", path))
        case .system: .sentence(localized("The file %@ cannot be read.", path))
        default: .store(error)
        }
    }

    // MARK: Contents

    /// What the messages of an account refer to.
    private struct Content: Hashable {
        let account: Account
        let hash: ContentHash
    }

    /// The contents of all messages, the newest of each conversation first.
    private func contents() async throws(Failure) -> [Content] {
        do throws(StoreError) {
            let (accounts, conversations) = try await store.read { store throws(StoreError) in
                (try store.accounts(), try store.conversations())
            }
            var (found, known): ([Content], Set<Content>) = ([], [])
            for conversation in conversations {
                guard let account = accounts.first(where: { $0.id == conversation.key.account }) else { continue }
                var end: TimelinePosition?
                repeat {
                    let before = end
                    let page = try await store.read { store throws(StoreError) in
                        try store.sharedMedia(
                            of: conversation.id, Set(Attachment.Kind.allCases), before: before, limit: Self.pageSize)
                    }
                    for attachment in page.flatMap(\.text.attachments) {
                        guard let hash = attachment.contentHash.flatMap(ContentHash.init) else { continue }
                        let content = Content(account: account, hash: hash)
                        if known.insert(content).inserted { found.append(content) }
                    }
                    end = page.count < Self.pageSize ? nil : page.last?.position
                } while end != nil
            }
            return found
        } catch {
            throw .store(error)
        }
    }
}
