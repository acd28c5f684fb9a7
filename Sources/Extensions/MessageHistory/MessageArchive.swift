import ServiceDiscovery
import Synchronization
public import XMLStreaming
public import XMPPAddress
public import XMPPClient
public import XMPPStanzas

/// Reads the archives on servers: the archive of the account and those of rooms (XEP-0313 Message Archive Management).
///
///     configuration.add { MessageArchive($0) }
///     …
///     let archive = session[MessageArchive.self]
///     let page = try await archive?.page(filter: ArchiveFilter(with: friend), page: .newest(50))
///
/// Requests pages and combines their messages, which do not reach the observers of the session. Archive results that
/// were not requested are dropped.
public final class MessageArchive: SessionExtension, StanzaInterceptor {
    let session: Session
    private let queries = Mutex(OpenQueries())

    public init(_ session: Session) {
        self.session = session
    }

    public var interceptors: [any StanzaInterceptor] { [self] }

    /// Requests a page of messages.
    ///
    /// - Parameters:
    ///   - archive: a room; `nil` for the account.
    ///   - isFlipped: whether the newest message comes first; requires an extended archive.
    ///   - timeout: the timeout for the whole page; by default the one of the session configuration.
    public func page(
        in archive: JID? = nil, filter: ArchiveFilter = ArchiveFilter(), page position: ArchivePosition,
        flipped isFlipped: Bool = false, timeout: Duration? = nil
    ) async throws(ArchiveError) -> ArchivePage {
        if filter.needsExtendedArchive || isFlipped {
            guard try await capabilities(of: archive).isExtended else { throw .notExtended }
        }
        let query = ArchiveQuery(filter: filter, page: position.request, isFlipped: isFlipped)
        let namesMessage = filter.namesMessages || position.cursor != nil
        return try await run(
            query, in: archive, limit: position.size, namesMessage: namesMessage, timeout: timeout)
    }

    /// All pages in one direction, each requested after the previous one was consumed.
    ///
    ///     for try await page in archive.pages(filter: ArchiveFilter(with: friend), from: .newest(100)) { … }
    ///
    /// - Parameter start: The first page. ``ArchivePosition/newest(_:)`` and ``ArchivePosition/before(_:_:)`` go back
    ///   in time, the others forward.
    public func pages(
        in archive: JID? = nil, filter: ArchiveFilter = ArchiveFilter(), from start: ArchivePosition
    ) -> ArchivePages {
        ArchivePages(archive: self, address: archive, filter: filter, start: start)
    }

    /// The messages with these ids, oldest first; requires an extended archive.
    ///
    /// - Throws: ``ArchiveError`` with `messageVanished` if one of them is missing.
    public func messages(
        withIDs ids: [String], in archive: JID? = nil
    ) async throws(ArchiveError) -> [ArchivedMessage] {
        var messages: [ArchivedMessage] = []
        var rest = ids[...]
        while !rest.isEmpty {
            let part = rest.prefix(ArchivePosition.maximumPageSize)
            rest = rest[part.endIndex...]
            let pages = pages(in: archive, filter: ArchiveFilter(ids: Array(part)), from: .oldest(part.count))
            for try await page in pages { messages += page.messages }
        }
        // Prosody omits missing messages; the specification requires an error.
        guard Set(ids).isSubset(of: messages.map(\.id)) else { throw .vanished }
        return messages
    }

    /// The number of matching messages, possibly an estimate; `nil` if the archive does not provide it.
    public func count(
        in archive: JID? = nil, filter: ArchiveFilter = ArchiveFilter()
    ) async throws(ArchiveError) -> Int? {
        let query = ArchiveQuery(filter: filter, page: ResultSetRequest(maximum: 0))
        // Some archives return one message nevertheless.
        return try await run(
            query, in: archive, limit: ArchivePosition.maximumPageSize, namesMessage: filter.namesMessages,
            timeout: nil
        ).count
    }

    /// The oldest and the newest message of the archive; requires an extended archive.
    public func metadata(of archive: JID? = nil) async throws(ArchiveError) -> ArchiveMetadata {
        guard try await capabilities(of: archive).isExtended else { throw .notExtended }
        let address = try await address(of: archive)
        do {
            return try await session.request(ArchiveMetadataRequest(), to: address)
        } catch {
            throw ArchiveError(error, namesMessage: false)
        }
    }

    /// The features of the archive; requested once per session if the session has `ServiceDiscovery`.
    public func capabilities(of archive: JID? = nil) async throws(ArchiveError) -> ArchiveCapabilities {
        let address = try await address(of: archive)
        do {
            let information =
                if let discovery = session[ServiceDiscovery.self] {
                    try await discovery.information(of: address)
                } else {
                    try await session.request(DiscoveryInformationRequest(), to: address)
                }
            return ArchiveCapabilities(features: information.features)
        } catch {
            throw ArchiveError(error, namesMessage: false)
        }
    }

    // MARK: Stanzas

    public func concerns(received stanza: AnyStanza) -> Bool {
        switch stanza {
        case .message(let message): ArchiveResult.isClaimed(by: message)
        case .iq(let iq): !iq.requiresResponse
        case .presence: false
        }
    }

    public func concerns(sent stanza: AnyStanza) -> Bool { false }

    public func decide(received stanza: AnyStanza, in session: isolated Session) -> Interception? {
        switch stanza {
        case .message(let message):
            guard let element = message.payloads.first(ArchiveResult.name) else { return .pass(stanza) }
            guard !message.isError, queries.withLock({ $0.mayExpect(queryID: element["queryid"]) }),
                let result = (try? message.payload(ArchiveResult.self)) ?? nil
            else { return .drop }
            let verdict = queries.withLock { $0.received(result, from: message.from) }
            return verdict == .collected ? .handled : .drop
        case .iq(let iq):
            if !iq.requiresResponse, let id = iq.id { queries.withLock { $0.answered(id: id, from: iq.from) } }
            return .pass(stanza)
        case .presence:
            return .pass(stanza)
        }
    }

    public nonisolated(nonsending) func willSkip(_ stanza: UnreadableElement, in session: Session) async {
        guard let result = stanza.firstChild else { return }
        // An invalid sender is not an archive, whereas a missing one is our own.
        let sender = stanza.from.map { try? JID($0) }
        if case .some(nil) = sender { return }
        queries.withLock { $0.skipped(result, from: sender ?? nil) }
    }

    private func run(
        _ query: ArchiveQuery, in archive: JID?, limit: Int, namesMessage: Bool, timeout: Duration?
    ) async throws(ArchiveError) -> ArchivePage {
        let address = try await address(of: archive)
        let account = await session.address?.bare
        let id = await session.makeID()
        queries.withLock { $0.open(id: id, archive: address, isOwn: address == account, limit: limit) }
        var query = query
        query.queryID = id
        let result: Result<ArchiveAnswer, ClientError>
        do throws(ClientError) {
            let answer = try await session.request(IQ(query, to: address, id: id), timeout: timeout)
            result = .success(try ArchiveAnswer(of: answer))
        } catch {
            result = .failure(error)
        }
        let collected = queries.withLock { $0.close(id: id) }
        switch result {
        case .success(let answer):
            guard let collected else { throw .tooMuch }
            var page = ArchivePage(collected.messages, answer, isFlipped: query.isFlipped)
            page.unreadable = collected.unreadable
            return page
        case .failure(let error):
            throw ArchiveError(error, namesMessage: namesMessage)
        }
    }

    func address(of archive: JID?) async throws(ArchiveError) -> JID {
        if let archive { return archive.bare }
        guard let account = await session.address?.bare else {
            throw ArchiveError(.failed, "There is no connection to the server. Connect and try again.")
        }
        return account
    }
}

extension ArchiveAnswer {
    fileprivate init(of iq: IQ) throws(ClientError) {
        do {
            try self.init(payload: iq.payload)
        } catch {
            throw ClientError(.unreadableAnswer, "The answer could not be read.", cause: error)
        }
    }
}
