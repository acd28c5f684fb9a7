import Foundation
import StanzaCorpus

/// A store with so many messages in a thousand conversations, and the same messages in the schemas of two other
/// programs: how fast they are stored, opened, read and searched, and the size of the file.
///
/// - Parameter alone: without the other two, for profiling.
func measureStore(messages count: Int, in folder: String, alone: Bool) async throws {
    var subjects: [any StoreSubject] = [try HongyanSubject(folder: folder)]
    if !alone { subjects += [DinoSubject(folder: folder), GajimSubject(folder: folder)] as [any StoreSubject] }
    var corpus = MessageCorpus()
    let messages = (0..<count).map { _ in corpus.next() }
    let textBytes = messages.reduce(0) { $0 + $1.body.utf8.count }
    print("\(count) messages of \(textBytes / max(count, 1)) bytes in \(MessageCorpus.peerCount) conversations")

    var table = ResultTable(subjects: subjects.map(\.name))
    for (column, subject) in subjects.enumerated() {
        for suffix in ["", "-wal", "-shm", ".lock"] { unlink(subject.path + suffix) }
        try await measureKeeping(messages, in: subject, column: column, table: &table)
        var status = stat()
        stat(subject.path, &status)
        let bytes = (Double(status.st_size) - Double(textBytes)) / Double(count)
        table.set("on the disk without the text", "bytes/message", target: 400, column, Cost(wall: bytes))
        try await measureReading(from: subject, column: column, table: &table)
        for (kind, words) in corpus.queries {
            try await measureSearch(of: kind, words, in: subject, column: column, table: &table)
        }
        try await subject.close()
        fflush(nil)
    }
    table.show()
}

/// Fills a store with so many messages, and does nothing else.
func insertMessages(_ count: Int, in folder: String) async throws {
    let subject = try HongyanSubject(folder: folder)
    for suffix in ["", "-wal", "-shm", ".lock"] { unlink(subject.path + suffix) }
    var corpus = MessageCorpus()
    var rest = (0..<count).map { _ in corpus.next() }[...]
    try await subject.create()
    while !rest.isEmpty {
        try await subject.fill(rest.prefix(batch))
        rest = rest.dropFirst(batch)
    }
    try await subject.settle()
    try await subject.close()
}

/// Fills the store of one subject, and then stores so many messages as they come.
///
/// Prints wall clock and processor time of one such message, in microseconds.
///
/// - Parameter name: the first word of the subject's name, in lower case.
func measureLive(_ name: String, messages count: Int, live: Int, in folder: String) async throws {
    let subjects: [any StoreSubject] = [
        try HongyanSubject(folder: folder), DinoSubject(folder: folder), GajimSubject(folder: folder),
    ]
    guard let subject = subjects.first(where: { $0.name.lowercased().hasPrefix(name) }) else { return }
    for suffix in ["", "-wal", "-shm", ".lock"] { unlink(subject.path + suffix) }
    var corpus = MessageCorpus()
    try await subject.create()
    var rest = (0..<count).map { _ in corpus.next() }[...]
    while !rest.isEmpty {
        try await subject.fill(rest.prefix(batch))
        rest = rest.dropFirst(batch)
    }
    try await subject.settle()
    let messages = (0..<live).map { _ in corpus.next() }
    var costs = Costs()
    for message in messages { try await costs.measure { try await subject.receive(live: message) } }
    let mean = costs.sum / max(live, 1)
    print(subject.name, Int(mean.wall * 1e6), Int(mean.processor * 1e6))
    try await subject.close()
}

/// Messages in one transaction during the synchronisation of a history.
private let batch = 2000

private func measureKeeping(
    _ messages: [CorpusMessage], in subject: any StoreSubject, column: Int, table: inout ResultTable
) async throws {
    // The last ones are added to the full store: in pages as the program stores them, then one by one.
    let pages = min(messages.count / 20, subject.liveCount)
    let live = min(messages.count / 20, subject.liveCount)
    let bulk = messages[..<(messages.count - pages - live)]
    try await subject.create()
    var keeping = Costs()
    var whole = Costs()
    try await whole.measure {
        var rest = bulk
        while !rest.isEmpty {
            try await keeping.measure { try await subject.fill(rest.prefix(batch)) }
            rest = rest.dropFirst(batch)
        }
        try await subject.settle()
    }
    table.set("kept, \(batch) a transaction", "messages/s", target: 30_000, column, (keeping.sum / bulk.count).rate)
    table.set("the same until all can be found", "messages/s", column, (whole.sum / bulk.count).rate)

    var rest = messages[bulk.endIndex..<(bulk.endIndex + pages)]
    keeping = Costs()
    while !rest.isEmpty {
        try await keeping.measure { try await subject.receive(page: rest.prefix(PageSize.archive)) }
        rest = rest.dropFirst(PageSize.archive)
    }
    table.set("kept, page by page of \(PageSize.archive)", "messages/s", column, (keeping.sum / pages).rate)
    try await subject.settle()

    keeping = Costs()
    for message in messages.suffix(live) { try await keeping.measure { try await subject.receive(live: message) } }
    table.set("one message kept as it comes", "ms", column, keeping.median?.milliseconds)
    try await subject.settle()
    try await subject.markRead()
    try await subject.close()
}

private func measureReading(from subject: any StoreSubject, column: Int, table: inout ResultTable) async throws {
    var starts = Costs()
    var count = 0
    for _ in 0..<9 {
        try await subject.close()
        try await starts.measure { count = try await subject.openWithList() }
    }
    table.set("start, list of \(count) conversations", "ms", target: 150, column, starts.median?.milliseconds)

    var random = SeededGenerator(seed: 7)
    var opens = Costs()
    var scrolls = Costs()
    for _ in 0..<200 {
        let peer = random.below(MessageCorpus.peerCount)
        var shown = 0
        try await opens.measure { shown = try await subject.firstPage(of: peer) }
        guard shown == PageSize.screen else { continue }
        try await scrolls.measure { _ = try await subject.pageBefore() }
    }
    table.set("conversation opened, \(PageSize.screen) messages", "ms", target: 20, column, opens.median?.milliseconds)
    table.set("page of \(PageSize.screen) before it", "ms", target: 5, column, scrolls.median?.milliseconds)
}

private func measureSearch(
    of kind: String, _ words: [String], in subject: any StoreSubject, column: Int, table: inout ResultTable
) async throws {
    var searches = Costs()
    var hits = 0
    let words = words.prefix(subject.searchCount)
    for word in words { try await searches.measure { hits += try await subject.search(word) } }
    table.set(
        "search: \(kind)", "ms", target: 50, column, searches.median?.milliseconds,
        note: "\(hits / max(words.count, 1)) shown")
}

extension Cost {
    fileprivate var milliseconds: Cost { Cost(wall: wall * 1000, processor: processor * 1000) }
    /// The number per second, from the cost of one.
    fileprivate var rate: Cost { Cost(wall: 1 / wall, processor: 1 / processor) }
}
