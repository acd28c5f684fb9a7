internal import ChatStore
internal import JSONRPC
internal import Localization
internal import UserProfile

extension Command {
    static let export = Command(
        name: "export", synopsis: "[FILE|-]", summary: "export all messages into a file of JSON lines",
        options: [.init("files", "also pictures and files, into the folder FILE.files beside it")],
        connects: false, usesProfile: true
    ) { invocation in
        guard invocation.arguments.count <= 1 else { throw CommandError.usage(localized("Give one file.")) }
        let path = invocation.arguments.first.flatMap { $0 == "-" ? nil : $0 }
        let withFiles = invocation.options.has("files")
        guard path != nil || !withFiles else {
            throw CommandError.usage(localized("Pictures and files need a FILE, beside which their folder is."))
        }
        let profile = invocation.profile
        guard profile.hasStore else {
            throw CommandError.failed(localized("There is nothing to export: %@ is not there.", profile.storePath))
        }
        try await profile.withStore(for: .reading) { store in
            let folder: (@Sendable (Account) async -> String?)?
            if withFiles { folder = { profile.mediaFolder(of: $0.address) } } else { folder = nil }
            let count: Int
            do throws(HistoryCopy.Failure) {
                count = try await HistoryCopy(store).export(to: path, filesFrom: folder)
            } catch {
                throw CommandError(error, at: store.path)
            }
            guard let path else { return }
            let text =
                withFiles
                ? localized("Written to %@; pictures and files: %@.", path, count)
                : localized("Written to %@.", path)
            let event: JSONValue =
                withFiles
                ? ["event": "exported", "path": .string(path), "files": .integer(count)]
                : ["event": "exported", "path": .string(path)]
            invocation.show(text, json: event)
        }
    }

    static let `import` = Command(
        name: "import", synopsis: "FILE|-",
        summary: "import a file of `export` in addition to what is here; nothing is sent",
        connects: false, usesProfile: true
    ) { invocation in
        guard let path = invocation.arguments.first, invocation.arguments.count == 1 else {
            throw CommandError.usage(localized("Give one file."))
        }
        let profile = invocation.profile
        try await profile.withStore(for: .writing) { store in
            let media = OpenedMedia(profile, store)
            let result: HistoryCopy.Import
            do throws(HistoryCopy.Failure) {
                result = try await HistoryCopy(store).take(path) { await media.cache(of: $0) }
                await media.close()
            } catch {
                await media.close()
                throw CommandError(error, at: store.path)
            }
            let report = result.messages
            invocation.show(
                result.sentence,
                json: [
                    "event": "imported", "added": .integer(report.added), "known": .integer(report.known),
                    "files": .integer(result.files), "filesLeftOut": .integer(result.filesLeftOut),
                ])
        }
    }
}

/// The files of the accounts, opened when something is added to them.
private actor OpenedMedia {
    private let profile: Profile
    private let store: any LocalStore
    private var caches: [AccountID: MediaCache] = [:]

    init(_ profile: Profile, _ store: any LocalStore) { (self.profile, self.store) = (profile, store) }

    func cache(of account: Account) async -> MediaCache? {
        if let cache = caches[account.id] { return cache }
        let waiting = (try? await store.read { store throws(StoreError) in try store.sendQueue(of: account.id) }) ?? []
        let cache = try? await profile.openMedia(of: account.address, waiting: waiting)
        caches[account.id] = cache
        return cache
    }

    func close() async {
        for cache in caches.values { await cache.close() }
        caches = [:]
    }
}

extension CommandError {
    fileprivate init(_ failure: HistoryCopy.Failure, at path: String) {
        switch failure {
        case .sentence(let sentence): self = .failed(sentence)
        case .store(let error): self.init(store: error, at: path)
        case .cancelled: self = .failed(localized("Cancelled."))
        }
    }
}
