internal import Cryptography
internal import Foundation
public import TransportLayer

extension FileSharing {
    /// The default limit for downloads: 100 MiB.
    public static let defaultLimit: UInt64 = 100 << 20

    /// Downloads an offered file into `folder`, which is created if it does not exist.
    ///
    /// The file gets its final name only when it is complete and its size and hashes match those from the sender. It
    /// never replaces another file.
    ///
    /// - Parameters:
    ///   - limit: bytes; a larger file is refused before or during the download.
    ///   - fileExtension: returns the extension for the content; the received one is ignored.
    public func fetch(
        _ offer: FileOffer, into folder: String, limit: UInt64 = defaultLimit,
        fileExtension: @Sendable ([UInt8]) -> String? = { _ in nil },
        progress: HTTPClient.ProgressHandler? = nil
    ) async throws(FileSharingError) -> ReceivedFile {
        if let size = offer.metadata.size, size > limit { throw .tooLarge(size: size, limit: limit) }
        let files = FileManager.default
        do {
            try files.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw FileSharingError(.unreadable, "The folder \(folder) cannot be created.")
        }
        let part = folder + "/.part-" + UUID().uuidString
        defer { try? files.removeItem(atPath: part) }
        switch offer.source {
        case .content(let bytes):
            guard files.createFile(atPath: part, contents: Data(bytes), attributes: [.posixPermissions: 0o600]) else {
                throw FileSharingError(.unreadable, "The file cannot be written to \(folder).")
            }
        case .addresses(let addresses):
            try await download(addresses, to: part, limit: limit, progress: progress)
        }

        let (count, head, hash) = try Self.check(part, against: offer.metadata)
        let name = SafeFileName(
            offer.metadata.fileName, fallback: offer.kind.word, fileExtension: fileExtension(head))
        let path = try Self.place(part, as: name.description, in: folder)
        let isVerified = offer.metadata.hashes.contains { HashFunction(rawValue: $0.algorithm) != nil }
        return ReceivedFile(
            path: path, byteCount: count, sha256: hash, metadata: offer.metadata, isVerified: isVerified)
    }

    private func download(
        _ addresses: [String], to path: String, limit: UInt64, progress: HTTPClient.ProgressHandler?
    ) async throws(FileSharingError) {
        var failure = FileSharingError(.transferFailed, "The message contains no URL to download the file from.")
        for address in addresses {
            do throws(TransportError) {
                _ = try await http.download(address, toFile: path, limit: Int(clamping: limit), progress: progress)
                return
            } catch {
                failure = FileSharingError(error)
                if error.code == .cancelled { break }
            }
        }
        throw failure
    }

    /// Reads the file once: its size, its first bytes and its SHA-256, and compares them with the metadata.
    private static func check(
        _ path: String, against metadata: FileMetadata
    ) throws(FileSharingError) -> (count: UInt64, head: [UInt8], sha256: [UInt8]) {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw FileSharingError(.unreadable, "The downloaded file cannot be read.")
        }
        defer { try? handle.close() }
        var digest = Digest(.sha256)
        var count: UInt64 = 0
        var head: [UInt8] = []
        while let piece = try? handle.read(upToCount: 1 << 18), !piece.isEmpty {
            if head.isEmpty { head = Array(piece.prefix(4096)) }
            piece.withUnsafeBytes { digest.update($0) }
            count += UInt64(piece.count)
        }
        let sha256 = digest.finish()
        guard count > 0 else { throw FileSharingError(.empty, "The file is empty.") }
        if let promised = metadata.size, promised != count {
            throw FileSharingError(
                .wrongSize, "The file has \(count) bytes instead of the announced \(promised); it was discarded.")
        }
        for hash in metadata.hashes {
            guard let function = HashFunction(rawValue: hash.algorithm) else { continue }
            let value = function == .sha256 ? sha256 : try Self.hash(path, with: function)
            guard value == hash.value else {
                throw FileSharingError(
                    .wrongHash,
                    "The file is not the one that was sent: its \(hash.algorithm) differs; it was discarded.")
            }
        }
        return (count, head, sha256)
    }

    private static func hash(_ path: String, with function: HashFunction) throws(FileSharingError) -> [UInt8] {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw FileSharingError(.unreadable, "The downloaded file cannot be read.")
        }
        defer { try? handle.close() }
        var digest = Digest(function)
        while let piece = try? handle.read(upToCount: 1 << 18), !piece.isEmpty {
            piece.withUnsafeBytes { digest.update($0) }
        }
        return digest.finish()
    }

    /// Gives the file its name, or the name with a number if that is taken. A hard link fails where a rename would
    /// replace.
    private static func place(_ part: String, as name: String, in folder: String) throws(FileSharingError) -> String {
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        for number in 1...9999 {
            let numbered = number == 1 ? name : "\(name[..<dot]) (\(number))\(name[dot...])"
            let path = folder + "/" + numbered
            if (try? FileManager.default.linkItem(atPath: part, toPath: path)) != nil { return path }
            guard FileManager.default.fileExists(atPath: path) else { break }
        }
        throw FileSharingError(.unreadable, "The file cannot be stored in \(folder).")
    }
}

/// A file that was downloaded, verified and stored.
public struct ReceivedFile: Sendable, Equatable {
    /// The path, with a safe file name.
    public var path: String
    public var byteCount: UInt64
    public var sha256: [UInt8]
    /// The metadata from the sender.
    public var metadata: FileMetadata
    /// Whether the sender provided a hash that was verified. A mismatch is an error and produces no file.
    public var isVerified: Bool
}
