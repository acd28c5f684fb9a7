import MessageFeatures
import MessagePayloads
import XMLStreaming
import XMPPAddress
public import XMPPClient
import XMPPStanzas

/// Brings the messages that arrived while no session could be resumed from the archive of the account into the inbox of a
/// program, each once (XEP-0313 Message Archive Management).
///
///     let store = try FileSessionStore(path: path) { (try? Message(from: $0))?.isChatMessageWithBody == true }
///     configuration.store = store
///     configuration.add { MessageArchive($0) }
///     configuration.add { ArchiveCatchUp($0, into: store) }
///     …
///     for await received in store.inbox { … }
///
/// A session that is resumed has missed nothing (XEP-0198). Otherwise the server may have delivered messages to another device,
/// or have lost them with the session; the archive has them. This extension asks it for everything after the last message
/// that the store knows, page by page, after each login. What arrives live meanwhile is recognised by the id that the archive
/// assigned to it. With a new store the first session sets the position and brings nothing.
public final class ArchiveCatchUp: SessionExtension {
    /// What happened.
    public enum Event: Sendable {
        /// Nothing is missing; this number of messages came from the archive.
        case complete(messages: Int)
        /// The archive could not be read to its end. It is tried again with the next session.
        case failed(any Error)
    }

    /// The messages of one page.
    private static let pageSize = 100

    private let store: any CatchUpStore
    private let isWanted: @Sendable (ArchivedMessage) -> Bool
    private let channel = EventChannel<Event>()

    /// - Parameters:
    ///   - store: gets the messages; usually the `FileSessionStore` of the configuration.
    ///   - isWanted: selects the messages; by default those of others. Those that the account sent from any device are in its
    ///     archive, too.
    public init(
        _ session: Session, into store: any CatchUpStore,
        where isWanted: (@Sendable (ArchivedMessage) -> Bool)? = nil
    ) {
        self.store = store
        self.isWanted = isWanted ?? { $0.message?.from?.bare != $0.archive.bare }
    }

    public var startsAfter: [any SessionExtension.Type] { [MessageArchive.self] }

    /// What happens from now on.
    public func events() -> AsyncStream<Event> { channel.stream() }

    public func sessionStarted(_ session: Session, isResumed: Bool) async throws {
        guard let account = await session.address?.bare else { return }
        guard let archive = session[MessageArchive.self] else {
            throw ClientError(.invalidConfiguration, "ArchiveCatchUp needs the extension MessageArchive.")
        }
        do {
            let state = try await store.beginCatchUp(of: account)
            // In a new session something may be missing, also while the store does not know yet that it has begun.
            guard !isResumed || !state.isComplete else { return channel.post(.complete(messages: 0)) }
            let count = try await catchUp(from: state.mark, with: archive)
            channel.post(.complete(messages: count))
        } catch {
            channel.post(.failed(error))
            throw error
        }
    }

    public func sessionEnded(_ session: Session) async { channel.finish() }

    private func catchUp(from mark: ArchiveMark?, with archive: MessageArchive) async throws -> Int {
        guard let mark else {
            let newest = try await archive.page(page: .newest(1)).messages.last
            try await store.commit(archived: [], through: newest.map(ArchiveMark.init), isComplete: true)
            return 0
        }
        do {
            return try await bring(archive.pages(from: .after(mark.id, Self.pageSize)))
        } catch let error as ArchiveError where error.code == .messageVanished {
            // The archive has removed the message; what it has of later times is all there is. Without a time everything would
            // come again.
            guard let start = mark.stamp.flatMap({ Timestamp($0) }) else {
                return try await catchUp(from: nil, with: archive)
            }
            let filter = ArchiveFilter(start: start)
            return try await bring(archive.pages(filter: filter, from: .oldest(Self.pageSize)))
        }
    }

    private func bring(_ pages: ArchivePages) async throws -> Int {
        var count = 0
        for try await page in pages {
            let wanted = page.messages.filter(isWanted).compactMap(CatchUpMessage.init)
            try await store.commit(
                archived: wanted, through: page.messages.last.map(ArchiveMark.init), isComplete: page.isComplete)
            count += wanted.count
        }
        return count
    }
}

extension ArchiveMark {
    fileprivate init(_ message: ArchivedMessage) {
        self.init(id: message.id, stamp: message.stamp?.description)
    }
}

extension CatchUpMessage {
    /// - Returns: `nil` for a message that the archive has removed.
    fileprivate init?(_ archived: ArchivedMessage) {
        guard var message = archived.message else { return nil }
        // Ids of others would be taken for those of the archive.
        message.payloads.removeAll(named: StanzaIdentifier.name)
        message.payloads.append(StanzaIdentifier(archived.id, by: archived.archive))
        if let stamp = archived.stamp, !message.payloads.contains(DelayedDelivery.name) {
            message.payloads.append(DelayedDelivery(stamp: stamp, from: archived.archive))
        }
        self.init(id: archived.id, stanza: XMLElement(message))
    }
}
