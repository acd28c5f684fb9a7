/// Changes the bytes of a file, piece by piece: what is sealed is never in memory as a whole.
public protocol FileCipher: Sendable {
    /// - Parameters:
    ///   - bytes: the next piece; of any size, also empty.
    ///   - isLast: nothing follows; what was held back is returned, and a check value is written or checked.
    /// - Throws: ``ProtectionError`` with `damaged`; what was returned before must not be used then.
    mutating func process(_ bytes: [UInt8], isLast: Bool) throws(ProtectionError) -> [UInt8]
}

/// How a file is sealed before it is uploaded.
public struct FileSealing: Sendable {
    public var cipher: any FileCipher
    /// The form of the link in the message, with what opens the file, from the address that the upload service gave.
    /// It throws if nothing would be able to open the file at that address.
    public var link: @Sendable (_ url: String) throws(ProtectionError) -> String

    public init(
        _ cipher: any FileCipher, link: @escaping @Sendable (_ url: String) throws(ProtectionError) -> String
    ) {
        self.cipher = cipher
        self.link = link
    }
}

/// How a downloaded file is opened.
public struct FileOpening: Sendable {
    public var cipher: any FileCipher
    /// The address that it is downloaded from: the link in the message without what opens the file.
    public var address: String
    /// How many bytes longer the sealed file is at most.
    public var overhead: Int64

    public init(_ cipher: any FileCipher, address: String, overhead: Int64) {
        self.cipher = cipher
        self.address = address
        self.overhead = overhead
    }
}
