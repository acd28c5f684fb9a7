internal import FileSharing
internal import Localization
internal import TerminalApp
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

/// What was sent to one person and received from it, in order.
actor Correspondence {
    /// One message, picture or voice message.
    struct Item: Sendable, Equatable {
        var kind: String
        var bytes: Int
        var sha256: String
        /// The text, or what the file is.
        var words: String
    }

    let peer: JID
    private(set) var sent: [Item] = []
    private(set) var received: [Item] = []
    private var failure: String?
    private var waiters: [CheckedContinuation<Void, Never>] = []

    init(with peer: JID) {
        self.peer = peer
    }

    func noteSent(_ item: Item) { sent.append(item) }

    /// Takes what comes from the other side until the session ends.
    func collect(_ events: SessionEvents, in session: Session, _ folder: FileFolder) async {
        for await batch in events {
            for case .message(let message) in batch where message.from?.bare == peer {
                switch IncomingContent(message) {
                case .text(let text): received.append(.text(text))
                case .file(let offer):
                    do {
                        received.append(.file(try await FetchedFile(offer, in: session, folder: folder), offer))
                    } catch {
                        failure = CommandError(error).description
                    }
                case .unusableFile(let reason): failure = reason
                case .nothing: continue
                }
                wake()
            }
        }
        failure = failure ?? localized("The connection to the server is over; try again.")
        wake()
    }

    /// The first item of that kind that was received after the first `count` items.
    func item(_ kind: String, after count: Int) async throws -> Item {
        while true {
            if let found = received.dropFirst(count).first(where: { $0.kind == kind }) { return found }
            if let failure { throw CommandError.failed(failure) }
            try Task.checkCancellation()
            await change()
        }
    }

    private func change() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiters.append($0) }
        } onCancel: {
            Task { await self.wake() }
        }
    }

    private func wake() {
        let waiters = waiters
        self.waiters = []
        for waiter in waiters { waiter.resume() }
    }
}

extension Correspondence.Item {
    static func text(_ text: String) -> Self {
        Self(kind: "text", bytes: text.utf8.count, sha256: ContentHash.of(Array(text.utf8)), words: "“\(text)”")
    }

    static func file(_ file: FetchedFile, _ offer: FileOffer) -> Self {
        let kind = FileKind(mediaType: file.details.type)
        return Self(
            kind: kind.eventName, bytes: file.details.byteCount, sha256: file.sha256, words: file.details.description)
    }

    static func file(_ file: PreparedFile) -> Self {
        Self(
            kind: file.outgoing.kind.eventName, bytes: file.details.byteCount, sha256: file.sha256,
            words: file.details.description)
    }

    /// `picture     12345 B  sha256 …`.
    var line: String {
        let size = String(repeating: " ", count: max(0, 8 - String(bytes).count)) + "\(bytes) B"
        return kind + String(repeating: " ", count: max(1, 8 - kind.count)) + size + "  " + sha256 + "  "
            + TerminalText.harmless(words)
    }

    var json: [(String, JSONValue)] {
        [("kind", .string(kind)), ("bytes", .integer(bytes)), ("sha256", .string(sha256)), ("content", .string(words))]
    }
}
