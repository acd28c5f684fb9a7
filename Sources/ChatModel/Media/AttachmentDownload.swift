public import ChatEngine
public import ChatStore
public import Observation

/// The download of an attachment: a picture, a voice message or another file.
///
///     let download = downloads.download(of: message.id, attachment: attachment)
///     await download.look()                       // .here(path), or .absent
///     download.start()                            // .fetching(0.4) … .here(path), or .failed
@MainActor
@Observable
public final class AttachmentDownload {
    public enum Phase: Sendable, Hashable {
        /// Not checked yet.
        case unknown
        /// Not on this device.
        case absent
        /// Waits for other downloads.
        case waiting
        /// The fraction downloaded, 0 to 1; `nil` if the size is unknown.
        case fetching(Double?)
        /// On this device.
        case here(path: String)
        /// The download failed; ``start()`` retries it.
        case failed(AttachmentFailure)
    }

    public let message: MessageID
    public let index: Int
    /// The attachment as described when this object was created.
    public let attachment: Attachment
    public internal(set) var phase = Phase.unknown
    /// The fraction uploaded, 0 to 1; `nil` if no upload is in progress.
    public private(set) var uploaded: Double?

    @ObservationIgnored private let downloads: AttachmentDownloads
    @ObservationIgnored private var task: Task<Void, Never>?
    @ObservationIgnored private var following: Task<Void, Never>?
    /// Numbers the attempts, so that events of a cancelled one are ignored.
    @ObservationIgnored private var turn = 0

    init(_ message: MessageID, _ index: Int, _ attachment: Attachment, _ downloads: AttachmentDownloads) {
        self.message = message
        self.index = index
        self.attachment = attachment
        self.downloads = downloads
        // An attachment with a URL is uploaded already.
        guard attachment.url == nil, let uploads = downloads.uploads else { return }
        uploaded = uploads.percent(of: message, at: index).map { Double($0) / 100 }
        let percents = uploads.values(of: message, at: index)
        following = Task { [weak self] in
            for await percent in percents { self?.show(uploaded: percent.map { Double($0) / 100 }) }
        }
    }

    isolated deinit { following?.cancel() }

    private func show(uploaded share: Double?) { if uploaded != share { uploaded = share } }

    /// Whether it is downloading, or waiting to.
    public var isRunning: Bool {
        switch phase {
        case .waiting, .fetching: true
        case .unknown, .absent, .here, .failed: false
        }
    }

    /// Checks whether the file is on this device; the cache may have evicted it.
    public func look() async {
        guard !isRunning else { return }
        let mine = turn
        let found = await downloads.find(self)
        guard mine == turn, !isRunning else { return }
        if let found {
            phase = .here(path: found.path)
            if found.isNew { await downloads.measure(self, at: found.path) }
        } else if case .failed = phase {
            return
        } else {
            phase = .absent
        }
    }

    /// Downloads the file up to `AttachmentFetcher.sizeLimit`, also after a failure.
    public func start() { begin(limit: AttachmentFetcher.sizeLimit) }

    /// Downloads a small picture or voice message automatically, unless it is from a stranger or exceeds the sender's
    /// budget: see `StoreReader.downloadsAutomatically(in:)` and ``DownloadBudget``.
    public func startAutomatically() {
        guard attachment.kind == .picture || attachment.kind == .voice, canBegin else { return }
        if let size = attachment.size, size > AttachmentDownloads.automaticLimit { return }
        let mine = turn
        Task { [self, downloads] in
            guard let sender = await downloads.automaticDownloadSender(of: self), mine == turn, canBegin,
                let download = downloads.beginAutomatic(attachment, of: sender)
            else { return }
            begin(limit: AttachmentDownloads.automaticLimit, automatic: download)
        }
    }

    private var canBegin: Bool { phase == .absent || phase == .unknown }

    /// Cancels the download.
    public func cancel() {
        guard isRunning else { return }
        turn += 1
        task?.cancel()
        task = nil
        phase = .absent
    }

    private func begin(limit: Int64, automatic: DownloadBudget.Download? = nil) {
        guard !isRunning else { return }
        if case .here = phase { return }
        turn += 1
        let mine = turn
        phase = .waiting
        task = Task { [self, downloads] in
            let result = await downloads.fetch(self, limit: limit) { [weak self] step in
                // Events of an attempt that is over are ignored.
                Task { @MainActor in self?.show(step.fraction, mine) }
            }
            if let automatic { await downloads.finishedAutomatic(automatic, result) }
            guard mine == turn else { return }
            task = nil
            switch result {
            case .success(let content):
                // A voice message can be played before its duration is known.
                phase = .here(path: content.path)
                if content.isNew { await downloads.measure(self, at: content.path) }
            case .failure(let failure): phase = failure.code == .cancelled ? .absent : .failed(failure)
            }
        }
    }

    func beganFetching() { if phase == .waiting { phase = .fetching(nil) } }

    private func show(_ fraction: Double?, _ attempt: Int) {
        guard attempt == turn, isRunning else { return }
        // Progress in percent is precise enough.
        let shown = fraction.map { ($0 * 100).rounded(.down) / 100 }
        if case .fetching(let before) = phase, let before, let shown, shown <= before { return }
        phase = .fetching(shown)
    }
}
