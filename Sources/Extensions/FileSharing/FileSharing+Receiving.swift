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
        let files = FileManager.default
        do {
            try files.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw FileSharingError(.unreadable, "The folder \(folder) cannot be created.")
        }
        let file = UnfinishedFile(in: folder)
        switch offer.source {
        case .content(let bytes):
            guard bytes.count <= limit else { throw .tooLarge(size: UInt64(bytes.count), limit: limit) }
            let attributes = [FileAttributeKey.posixPermissions: 0o600]
            guard files.createFile(atPath: file.path, contents: Data(bytes), attributes: attributes) else {
                throw FileSharingError(.unreadable, "The file cannot be written to \(folder).")
            }
        case .addresses(let addresses):
            do throws(TransportError) {
                try await FileDownload(http).run(
                    addresses, to: file.path, size: offer.metadata.size, limit: limit, progress: progress)
            } catch {
                throw FileSharingError(error)
            }
        }
        let contents = try Self.check(file.path, against: offer.metadata)
        let name = SafeFileName(
            offer.metadata.fileName, fallback: offer.kind.word, fileExtension: fileExtension(contents.head))
        let path = try file.finish(as: name)
        let isVerified = offer.metadata.hashes.contains { HashFunction(rawValue: $0.algorithm) != nil }
        return ReceivedFile(
            path: path, byteCount: contents.byteCount, sha256: contents.hash, metadata: offer.metadata,
            isVerified: isVerified)
    }

    /// Compares the file with the metadata.
    private static func check(
        _ path: String, against metadata: FileMetadata
    ) throws(FileSharingError) -> FileContents {
        let contents = try FileContents(of: path)
        guard contents.byteCount > 0 else { throw FileSharingError(.empty, "The file is empty.") }
        if let promised = metadata.size, promised != contents.byteCount {
            throw FileSharingError(
                .wrongSize,
                "The file has \(contents.byteCount) bytes instead of the announced \(promised); it was discarded.")
        }
        for hash in metadata.hashes {
            guard let function = HashFunction(rawValue: hash.algorithm) else { continue }
            let value = function == .sha256 ? contents.hash : try FileContents(of: path, function).hash
            guard value == hash.value else {
                throw FileSharingError(
                    .wrongHash,
                    "The file is not the one that was sent: its \(hash.algorithm) differs; it was discarded.")
            }
        }
        return contents
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
