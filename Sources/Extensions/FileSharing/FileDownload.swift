internal import Cryptography
internal import Foundation
package import TransportLayer

/// The step that all downloads of offered files have in common: it brings the bytes of the first address that works, up to a
/// limit. ``FileSharing/fetch(_:into:limit:fileExtension:progress:)`` stores the file in a folder, the attachments of the chat
/// programs in the cache of their account.
///
/// `HTTPClient` refuses other addresses than `https:`, follows redirects only there, and ends a transfer that exceeds the limit,
/// stands still or is too slow.
package struct FileDownload: Sendable {
    /// Downloads an address into a file with a maximum size in bytes.
    package typealias Transfer =
        @Sendable (_ url: String, _ path: String, _ limit: Int, _ progress: HTTPClient.ProgressHandler?)
        async throws(TransportError) -> Void

    private let transfer: Transfer

    package init(_ http: HTTPClient) {
        self.init { url, path, limit, progress throws(TransportError) in
            _ = try await http.download(url, toFile: path, limit: limit, progress: progress)
        }
    }

    /// - Parameter transfer: in place of an HTTP client, for tests.
    package init(_ transfer: @escaping Transfer) { self.transfer = transfer }

    /// Downloads from the first address that works into a file.
    ///
    /// - Parameters:
    ///   - size: as announced, in bytes: if it exceeds the limit, nothing is requested.
    ///   - overhead: the bytes that encryption adds to the file.
    /// - Throws: why the last address did not work; `tooLarge`, `cancelled`.
    package func run(
        _ addresses: [String], to path: String, size: UInt64?, limit: UInt64, overhead: UInt64 = 0,
        progress: HTTPClient.ProgressHandler? = nil
    ) async throws(TransportError) {
        if let size, size > limit {
            throw TransportError(.tooLarge, "The file has \(size) bytes; at most \(limit) bytes are downloaded.")
        }
        let (most, overflows) = limit.addingReportingOverflow(overhead)
        var failure = TransportError(.invalidConfiguration, "The message contains no URL to download the file from.")
        for address in addresses {
            do throws(TransportError) {
                try await transfer(address, path, overflows ? .max : Int(clamping: most), progress)
                return
            } catch {
                failure = error
                if error.code == .cancelled { break }
            }
        }
        throw failure
    }
}

/// A file in a folder that gets its name when it is complete. Until then it is hidden, and removed if it stays without a name.
package struct UnfinishedFile: ~Copyable, Sendable {
    /// Where to write it; only its owner can read the folder or the file.
    package let path: String
    private let folder: String

    package init(in folder: String) {
        self.folder = folder
        path = folder + "/.part-" + UUID().uuidString
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Gives the file its name, or the name with a number if that is in use. It never replaces a file, also if others
    /// use the folder at the same time.
    ///
    /// - Returns: its path.
    package consuming func finish(as name: SafeFileName) throws(FileSharingError) -> String {
        let (stem, suffix) = name.parts
        for number in 1...Self.maximumNumber {
            let target = "\(folder)/" + (number == 1 ? name.description : "\(stem) (\(number))\(suffix)")
            // A link fails where a rename would replace. File systems without links only allow to look first.
            if (try? FileManager.default.linkItem(atPath: path, toPath: target)) != nil { return target }
            if !FileManager.default.fileExists(atPath: target) {
                guard (try? FileManager.default.moveItem(atPath: path, toPath: target)) != nil else { break }
                return target
            }
        }
        throw FileSharingError(.unreadable, "The file cannot be stored in \(folder).")
    }

    /// Gives the file a name and replaces what has that name.
    package consuming func finish(replacing target: String) throws(FileSharingError) {
        // Unlike `replaceItemAt`, this leaves no moment without a file.
        guard rename(path, target) == 0 else {
            throw FileSharingError(.unreadable, "The file cannot be stored at \(target).")
        }
    }

    /// More files of one name are refused.
    private static let maximumNumber = 9999
}

/// What is found by reading a file once.
struct FileContents {
    var byteCount: UInt64 = 0
    /// The first bytes, which say of which type it is.
    var head: [UInt8] = []
    var hash: [UInt8] = []

    init(of path: String, _ function: HashFunction = .sha256) throws(FileSharingError) {
        guard let handle = FileHandle(forReadingAtPath: path) else { throw Self.unreadable(path) }
        defer { try? handle.close() }
        var digest = Digest(function)
        do {
            while let piece = try handle.read(upToCount: Self.pieceSize), !piece.isEmpty {
                if head.isEmpty { head = Array(piece.prefix(Self.headSize)) }
                piece.withUnsafeBytes { digest.update($0) }
                byteCount += UInt64(piece.count)
            }
        } catch {
            throw Self.unreadable(path)
        }
        hash = digest.finish()
    }

    static func unreadable(_ path: String) -> FileSharingError {
        FileSharingError(.unreadable, "The file \(path) cannot be read.")
    }

    private static let pieceSize = 1 << 18
    private static let headSize = 4096
}
