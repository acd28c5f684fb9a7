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
        /// Not on this device, and can be requested.
        case absent
        /// Not on this device, and nobody has it to give any more.
        case gone
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
    /// What happens to the file of a queued message; `nil` for any other.
    public private(set) var sending: FileSendingStep?
    /// The offer of the file by a device of the contact; `nil` if there is none. It waits for ``start()`` or ``decline()``.
    public private(set) var offer: DirectOffers.State?

    /// The fraction sent, 0 to 1; `nil` if it is not on its way.
    public var uploaded: Double? { sending?.percent.map { Double($0) / 100 } }

    @ObservationIgnored private let downloads: AttachmentDownloads
    @ObservationIgnored private var task: Task<Void, Never>?
    @ObservationIgnored private var following: [Task<Void, Never>] = []
    /// Numbers the attempts, so that events of a cancelled one are ignored.
    @ObservationIgnored private var turn = 0

    init(_ message: MessageID, _ index: Int, _ attachment: Attachment, _ downloads: AttachmentDownloads) {
        self.message = message
        self.index = index
        self.attachment = attachment
        self.downloads = downloads
        // An attachment with a URL is uploaded already, and no other device offers it.
        guard attachment.url == nil else { return }
        if let uploads = downloads.uploads {
            sending = uploads.step(of: message, at: index)
            let steps = uploads.values(of: message, at: index)
            following.append(Task { [weak self] in for await step in steps { self?.show(step) } })
        }
        if let offers = downloads.fetcher.offers, !attachment.isLocal {
            offer = offers.state(of: message)
            let states = offers.values(of: message)
            following.append(Task { [weak self] in for await state in states { await self?.show(state) } })
        }
    }

    isolated deinit { for task in following { task.cancel() } }

    private func show(_ step: FileSendingStep?) { if sending != step { sending = step } }

    private func show(_ state: DirectOffers.State?) async {
        guard offer != state else { return }
        offer = state
        switch phase {
        // It is offered once more.
        case .gone, .failed: if state == .waiting { phase = .absent }
        case .absent: await look()
        case .unknown, .waiting, .fetching, .here: break
        }
    }

    /// Declines the offer of the file.
    public func decline() { downloads.fetcher.offers?.decline(message) }

    /// Whether it is downloading, or waiting to.
    public var isRunning: Bool {
        switch phase {
        case .waiting, .fetching: true
        case .unknown, .absent, .gone, .here, .failed: false
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
            let isObtainable = await downloads.isObtainable(self)
            if mine == turn, !isRunning { phase = isObtainable ? .absent : .gone }
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
        // What a device of the contact sends does not come a second time.
        phase = attachment.url == nil ? .gone : .absent
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
            case .failure(let failure):
                switch failure.code {
                case .cancelled: phase = await downloads.isObtainable(self) ? .absent : .gone
                case .fileGone: phase = .gone
                default: phase = .failed(failure)
                }
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
