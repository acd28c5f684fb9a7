/// A measured store: this library's, or another program's schema and queries.
protocol StoreSubject: AnyObject {
    var name: String { get }
    /// The database file.
    var path: String { get }
    /// The number of searches of a kind if each takes long.
    var searchCount: Int { get }
    /// The number of messages to store if each waits for the disk.
    var liveCount: Int { get }

    func create() async throws
    /// Stores messages from an archive, all in one transaction.
    func fill(_ messages: ArraySlice<CorpusMessage>) async throws
    /// Waits until everything that was stored can be found.
    func settle() async throws
    /// Marks everything as read.
    func markRead() async throws
    /// Stores a page of an archive in as many transactions as the program uses.
    func receive(page: ArraySlice<CorpusMessage>) async throws
    /// Stores one live message.
    func receive(live: CorpusMessage) async throws
    func close() async throws

    /// Opens the file and reads the list of conversations.
    ///
    /// - Returns: the number of conversations.
    func openWithList() async throws -> Int
    /// The newest messages of a conversation.
    ///
    /// - Returns: how many.
    func firstPage(of peer: Int) async throws -> Int
    /// The page before the one that was read last.
    func pageBefore() async throws -> Int
    /// The first page of messages with these words.
    func search(_ words: String) async throws -> Int
}

/// The number of messages of a page on the screen and of a page of an archive.
enum PageSize {
    static let screen = 50
    static let archive = 100
}
