internal import Cryptography
internal import FileSharing
internal import Media
internal import XMPPClient

/// A picture, voice message or file that was fetched and kept.
struct FetchedFile: Sendable {
    var path: String
    var sha256: String
    var details: FileDetails

    /// The most that is fetched without being asked: a film from a telephone.
    static let sizeLimit: UInt64 = 100 << 20

    init(path: String, sha256: String, details: FileDetails) {
        self.path = path
        self.sha256 = sha256
        self.details = details
    }

    /// Fetches what a message offers into `folder`, under a safe name, and looks what it is.
    init(
        _ offer: FileOffer, in session: Session, folder: FileFolder,
        progress: @escaping @Sendable (_ percent: Int) -> Void = { _ in }
    ) async throws {
        let sharing = try session.extensionInUse(FileSharing.self)
        let file = try await sharing.fetch(
            offer, into: folder.path, limit: Self.sizeLimit, fileExtension: { MediaType(sniffing: $0).fileExtension }
        ) { step in
            if let total = step.total, total > 0 { progress(Int(min(100, step.completed * 100 / total))) }
        }
        path = file.path
        sha256 = Hex.encode(file.sha256)
        details = await FileDetails(file)
    }

    var json: [(String, JSONValue)] {
        [("path", .string(path)), ("sha256", .string(sha256))] + details.json
    }
}
