internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import UserProfile

/// The preferences page about what is stored on this computer: its size, and copies of all messages, pictures and files.
final class DataPage {
    let page: PreferencesPage
    /// Shows a result.
    var showToast: (String) -> Void = { _ in }
    var window: () -> Window? = { nil }

    private let accounts: AccountList
    private let transfer: DataTransfer
    private let storage = PreferencesGroup(localized("Pictures and Files on This Computer"))
    private var rows: [ActionRow] = []
    let withFiles = SwitchRow(
        localized("With pictures and files"), subtitle: localized("Into a folder beside the exported file"))
    let exporting = ActionRow(localized("Export all messages…"), subtitle: localized("Into a file"))
    let importing = ActionRow(
        localized("Import messages…"),
        subtitle: localized("From an exported file, with the pictures and files beside it; nothing is sent"))
    /// How far the work is, with a button that cancels it.
    let progress = ActionRow().hidden()
    let cancel = Button(localized("_Cancel")).align(vertical: .center)
    private let bar = ProgressBar().align(vertical: .center)
    private var work: Task<Void, Never>? { didSet { showWork() } }

    init(_ accounts: AccountList, _ transfer: DataTransfer) {
        self.accounts = accounts
        self.transfer = transfer
        page = PreferencesPage(localized("Data"), icon: "drive-harddisk-symbolic")
        for row in [exporting, importing] { row.append(Icon("go-next-symbolic")) }
        progress.append(bar)
        progress.append(cancel)
        page.add(storage)
        page.add(
            PreferencesGroup(localized("Messages"), description: nil, [exporting, withFiles, importing, progress]))
        exporting.onActivate { [weak self] in self?.chooseExport() }
        importing.onActivate { [weak self] in self?.chooseImport() }
        cancel.onClick { [weak self] in
            self?.work?.cancel()
            self?.cancel.isSensitive = false
        }
        observe(self) { view in view.showAccounts() }
    }

    private func showAccounts() {
        let accounts = accounts.rows.elements
        for row in rows { storage.remove(row) }
        rows = accounts.map { account in
            let row = ActionRow(account.address.description)
            Task { [weak row, transfer] in
                guard let size = await transfer.size(account.id) else { return }
                row?.show(subtitle: Wording.size(size))
            }
            return row
        }
        for row in rows { storage.add(row) }
        storage.isVisible = !rows.isEmpty
    }

    private func showWork() {
        progress.isVisible = work != nil
        cancel.isSensitive = true
        for row in [exporting, importing, withFiles] { row.isSensitive = work == nil }
    }

    private func show(_ step: HistoryCopy.Progress) {
        switch step {
        case .messages:
            progress.show(subtitle: localized("Messages"))
            bar.pulse()
        case .files(let done, let count):
            progress.show(subtitle: localized("File %@ of %@", min(done + 1, count), count))
            bar.fraction = Double(done) / Double(max(count, 1))
        }
    }

    // MARK: Files

    private func chooseExport() {
        Task { [weak self] in
            let path = await FileChooser.save(
                localized("Export All Messages"), accept: localized("_Export"), name: "hongyan.jsonl",
                over: self?.window())
            if let path { self?.export(to: path) }
        }
    }

    /// Writes all messages into a file, and what belongs to them beside it.
    func export(to path: String) {
        begin(localized("Exporting…")) { [transfer, isOn = withFiles.isActive] in await transfer.export(path, isOn, $0)
        }
    }

    private func chooseImport() {
        Task { [weak self] in
            let paths = await FileChooser.open(
                localized("Import Messages"), accept: localized("_Import"), over: self?.window())
            if let path = paths.first { self?.take(path) }
        }
    }

    /// Adds the messages of an exported file to those that are here.
    func take(_ path: String) {
        begin(localized("Importing…")) { [transfer] in await transfer.take(path, $0) }
    }

    private func begin(
        _ title: String, _ body: @escaping (@escaping @Sendable (HistoryCopy.Progress) -> Void) async -> String
    ) {
        guard work == nil else { return }
        progress.show(title: title)
        show(.messages)
        // The newest step is enough, however fast the steps follow each other.
        let (steps, sink) = AsyncStream.makeStream(of: HistoryCopy.Progress.self, bufferingPolicy: .bufferingNewest(1))
        let showing = Task { [weak self] in for await step in steps { self?.show(step) } }
        work = Task { [weak self] in
            let result = await body { sink.yield($0) }
            sink.finish()
            await showing.value
            self?.work = nil
            self?.showToast(result)
        }
    }
}

/// What the page about data can do. Each returns its result as a sentence for the user, and works away from the main
/// thread.
struct DataTransfer {
    typealias Report = @Sendable (HistoryCopy.Progress) -> Void

    let export: (_ path: String, _ withFiles: Bool, _ report: @escaping Report) async -> String
    let take: (_ path: String, _ report: @escaping Report) async -> String
    /// What the files of an account need on this computer, in bytes.
    let size: (AccountID) async -> Int64?
}
