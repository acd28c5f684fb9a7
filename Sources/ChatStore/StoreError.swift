/// Why the store could not read or write: a code for programs, a sentence for people.
///
/// Whatever the code, nothing of the failed transaction was written and everything before it is still there.
public struct StoreError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        init(_ description: String) { self.description = description }
    }

    public let code: Code

    /// What happened and what to do about it, as a sentence for a person.
    public let description: String

    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}

extension StoreError.Code {
    /// The disk, or the room that was granted to the store, is full.
    public static let diskFull = Self("disk full")
    /// The file, its folder or its file system cannot be written to.
    public static let readOnly = Self("read only")
    /// The file is damaged or is no database.
    public static let corrupt = Self("corrupt")
    /// Another connection kept the file locked for too long.
    public static let busy = Self("busy")
    /// Another program has this store open.
    public static let inUse = Self("in use")
    /// The file cannot be opened or made.
    public static let cannotOpen = Self("cannot open")
    /// The file was written by a newer version of this program.
    public static let tooNew = Self("too new")
    /// A rule of the schema was broken: the caller gave something that cannot be.
    public static let constraint = Self("constraint")
    /// What the caller named is not in the store, or cannot be done to it.
    public static let invalidRequest = Self("invalid request")
    /// A line of an import cannot be understood.
    public static let invalidImport = Self("invalid import")
    /// The system failed to read, write or lock.
    public static let system = Self("system error")
    /// The store was closed.
    public static let closed = Self("closed")
}
