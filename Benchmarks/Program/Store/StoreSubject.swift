/// A store that is measured: this library's, or another program's schema and queries.
protocol StoreSubject: AnyObject {
    var name: String { get }
    /// The database file.
    var path: String { get }
    /// How many of the searches of a kind are enough, where each takes long.
    var searchCount: Int { get }
    /// How many messages to keep where each waits for the disk.
    var liveCount: Int { get }

    func create() async throws
    /// Keeps messages from an archive, all in one transaction.
    func fill(_ messages: ArraySlice<CorpusMessage>) async throws
    /// Waits until everything that was kept can be found.
    func settle() async throws
    /// Everybody has read everything.
    func markRead() async throws
    /// Keeps a page from an archive in as many transactions as the program makes of it.
    func receive(page: ArraySlice<CorpusMessage>) async throws
    /// Keeps one message that came now.
    func receive(live: CorpusMessage) async throws
    func close() async throws

    /// Opens the file and reads what the list of conversations shows.
    ///
    /// - Returns: how many conversations there are.
    func openWithList() async throws -> Int
    /// The newest messages of a conversation.
    ///
    /// - Returns: how many.
    func firstPage(of peer: Int) async throws -> Int
    /// Those before the page that was read last.
    func pageBefore() async throws -> Int
    /// The first page of what has those words.
    func search(_ words: String) async throws -> Int
}

/// How many messages a page on the screen and a page of an archive have.
enum PageSize {
    static let screen = 50
    static let archive = 100
}
