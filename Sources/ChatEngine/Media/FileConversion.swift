internal import ChatStore
internal import Foundation

/// Seals and opens files without reading them whole.
enum FileConversion {
    /// Bytes that are in memory at a time.
    private static let pieceSize = 256 << 10

    /// Writes a file as the cipher changes it. If that fails, what is there of the new file must not be used.
    static func run(_ cipher: any FileCipher, from path: String, to result: String) throws(AttachmentFailure) {
        var cipher = cipher
        do {
            guard FileManager.default.createFile(atPath: result, contents: nil, attributes: [.posixPermissions: 0o600])
            else { throw AttachmentFailure.diskFailed }
            let (source, target) = (FileHandle(forReadingAtPath: path), FileHandle(forWritingAtPath: result))
            defer {
                try? source?.close()
                try? target?.close()
            }
            guard let source, let target else { throw AttachmentFailure.diskFailed }
            var isLast = false
            while !isLast {
                let piece = try source.read(upToCount: pieceSize) ?? Data()
                isLast = piece.count < pieceSize
                try target.write(contentsOf: Data(try cipher.process(Array(piece), isLast: isLast)))
            }
        } catch let error as ProtectionError {
            throw AttachmentFailure(protecting: error)
        } catch {
            throw .diskFailed
        }
    }
}

extension AttachmentFailure {
    /// The disk is full or cannot be written to.
    static let diskFailed = AttachmentFailure(.notStored, isTemporary: true)

    /// A file that cannot be sealed or opened.
    init(protecting error: ProtectionError) {
        self.init(.notProtected, isTemporary: error.isTemporary)
        protection = error.code
    }
}
