public import ChatEngine
public import ChatStore
public import Observation

/// An attachment of a message on its way to this device: for pictures, voice messages and files alike.
///
///     let download = downloads.download(of: message.id, attachment: attachment)
///     await download.look()                       // .here(path), or .absent
///     download.start()                            // .fetching(0.4) … .here(path), or .failed
@MainActor
@Observable
public final class AttachmentDownload {
    public enum Phase: Sendable, Hashable {
        /// Nobody has looked yet.
        case unknown
        /// It is somewhere else.
        case absent
        /// Others are being fetched first.
        case waiting
        /// So much of it is here, 0 to 1; `nil` where nobody knows how much there is.
        case fetching(Double?)
        /// It is here.
        case here(path: String)
        /// It did not come; ``start()`` tries again.
        case failed(AttachmentFailure)
    }

    public let message: MessageID
    public let index: Int
    /// What the message said about it when this was made.
    public let attachment: Attachment
    public internal(set) var phase = Phase.unknown
    /// So much of it is uploaded, 0 to 1; `nil` where no upload of it is running.
    public private(set) var uploaded: Double?

    @ObservationIgnored private let downloads: AttachmentDownloads
    @ObservationIgnored private var task: Task<Void, Never>?
    @ObservationIgnored private var following: Task<Void, Never>?
    /// Counts the attempts, so that one that was cancelled says nothing about the next.
    @ObservationIgnored private var turn = 0

    init(_ message: MessageID, _ index: Int, _ attachment: Attachment, _ downloads: AttachmentDownloads) {
        self.message = message
        self.index = index
        self.attachment = attachment
        self.downloads = downloads
        // What has an address is uploaded.
        guard attachment.url == nil, let uploads = downloads.uploads else { return }
        uploaded = uploads.percent(of: message, at: index).map { Double($0) / 100 }
        let percents = uploads.values(of: message, at: index)
        following = Task { [weak self] in
            for await percent in percents { self?.show(uploaded: percent.map { Double($0) / 100 }) }
        }
    }

    isolated deinit { following?.cancel() }

    private func show(uploaded share: Double?) { if uploaded != share { uploaded = share } }

    /// It is on its way, or waits for its turn.
    public var isRunning: Bool {
        switch phase {
        case .waiting, .fetching: true
        case .unknown, .absent, .here, .failed: false
        }
    }

    /// Finds out whether it is here; what was here can have made room for something else.
    public func look() async {
        guard !isRunning else { return }
        let mine = turn
        let found = await downloads.path(of: self)
        guard mine == turn, !isRunning else { return }
        if let found {
            phase = .here(path: found)
        } else if case .failed = phase {
            return
        } else {
            phase = .absent
        }
    }

    /// Fetches it, however large up to `AttachmentFetcher.sizeLimit`. Again after a failure, too.
    public func start() { begin(limit: AttachmentFetcher.sizeLimit) }

    /// Fetches a picture or voice message without a question if it is small, not a stranger's, and within the budget of its
    /// sender: see `StoreReader.downloadsUnasked(in:)` and ``DownloadBudget``.
    public func startIfSmall() {
        guard attachment.kind == .picture || attachment.kind == .voice, canBegin else { return }
        if let size = attachment.size, size > AttachmentDownloads.automaticLimit { return }
        let mine = turn
        Task { [self, downloads] in
            guard let sender = await downloads.unaskedSender(of: self), mine == turn, canBegin,
                let download = downloads.beginUnasked(attachment, of: sender)
            else { return }
            begin(limit: AttachmentDownloads.automaticLimit, unasked: download)
        }
    }

    private var canBegin: Bool { phase == .absent || phase == .unknown }

    /// Stops it.
    public func cancel() {
        guard isRunning else { return }
        turn += 1
        task?.cancel()
        task = nil
        phase = .absent
    }

    private func begin(limit: Int64, unasked: DownloadBudget.Download? = nil) {
        guard !isRunning else { return }
        if case .here = phase { return }
        turn += 1
        let mine = turn
        phase = .waiting
        task = Task { [self, downloads] in
            let result = await downloads.fetch(self, limit: limit) { [weak self] step in
                // Late news of an attempt that is over changes nothing.
                Task { @MainActor in self?.show(step.fraction, mine) }
            }
            if let unasked { await downloads.finishedUnasked(unasked, result) }
            guard mine == turn else { return }
            task = nil
            switch result {
            case .success(let content):
                // It can be heard before its length is known.
                phase = .here(path: content.path)
                if content.isNew { await downloads.measure(self, at: content.path) }
            case .failure(let failure): phase = failure.condition == "cancelled" ? .absent : .failed(failure)
            }
        }
    }

    func beganFetching() { if phase == .waiting { phase = .fetching(nil) } }

    private func show(_ fraction: Double?, _ attempt: Int) {
        guard attempt == turn, isRunning else { return }
        // A hundred steps are as many as anybody sees.
        let shown = fraction.map { ($0 * 100).rounded(.down) / 100 }
        if case .fetching(let before) = phase, let before, let shown, shown <= before { return }
        phase = .fetching(shown)
    }
}
