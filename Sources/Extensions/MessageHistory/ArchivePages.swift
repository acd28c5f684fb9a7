import XMPPAddress

/// Pages of an archive that follow each other without a gap, asked for one at a time: who takes them slowly is not
/// overrun.
public struct ArchivePages: AsyncSequence, Sendable {
    public typealias Element = ArchivePage
    public typealias Failure = ArchiveError

    let archive: MessageArchive
    let address: JID?
    let filter: ArchiveFilter
    let start: ArchivePosition

    public struct AsyncIterator: AsyncIteratorProtocol {
        private let pages: ArchivePages
        private var position: ArchivePosition?

        init(_ pages: ArchivePages) {
            self.pages = pages
            position = pages.start
        }

        /// The page that follows, perhaps an empty one if it is the last; `nil` when there is none.
        ///
        /// - Throws: ``ArchiveError``. After one, `next()` tries the same page again.
        public mutating func next() async throws(ArchiveError) -> ArchivePage? {
            try await next(isolation: nil)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ArchiveError) -> ArchivePage? {
            guard let position else { return nil }
            let page = try await pages.archive.page(in: pages.address, filter: pages.filter, page: position)
            let next = position.next(after: page)
            // An archive that does not get on would be asked for ever.
            if let next, next.cursor == position.cursor { throw .circle }
            self.position = next
            return page
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}
