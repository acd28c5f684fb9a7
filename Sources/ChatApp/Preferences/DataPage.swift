internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The preferences page about what is stored on this computer: its size, and copies of all messages.
final class DataPage {
    let page: PreferencesPage
    /// Shows a result.
    var showToast: (String) -> Void = { _ in }
    var window: () -> Window? = { nil }

    private let accounts: AccountList
    private let transfer: DataTransfer
    private let storage = PreferencesGroup(localized("Pictures and files on this computer"))
    private var rows: [ActionRow] = []
    private let exporting = ActionRow(
        localized("Export all messages…"), subtitle: localized("Into a file; pictures and files are not included"))
    private let importing = ActionRow(
        localized("Import messages…"), subtitle: localized("From an exported file; nothing is sent"))
    private let spinner = Spinner().hidden()
    private var work: Task<Void, Never>? { didSet { showWork() } }

    init(_ accounts: AccountList, _ transfer: DataTransfer) {
        self.accounts = accounts
        self.transfer = transfer
        page = PreferencesPage(localized("Data"), icon: "drive-harddisk-symbolic")
        exporting.append(spinner)
        for row in [exporting, importing] { row.append(Icon("go-next-symbolic")) }
        page.add(storage)
        page.add(PreferencesGroup(localized("Messages"), description: nil, [exporting, importing]))
        exporting.onActivate { [weak self] in self?.chooseExport() }
        importing.onActivate { [weak self] in self?.chooseImport() }
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
        spinner.isVisible = work != nil
        spinner.isSpinning = work != nil
        exporting.isSensitive = work == nil
        importing.isSensitive = work == nil
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

    /// Writes all messages into a file.
    func export(to path: String) { begin { [transfer] in await transfer.export(path) } }

    private func chooseImport() {
        Task { [weak self] in
            let paths = await FileChooser.open(
                localized("Import Messages"), accept: localized("_Import"), over: self?.window())
            if let path = paths.first { self?.take(path) }
        }
    }

    /// Adds the messages of an exported file to those that are here.
    func take(_ path: String) { begin { [transfer] in await transfer.take(path) } }

    private func begin(_ body: @escaping () async -> String) {
        guard work == nil else { return }
        work = Task { [weak self] in
            let result = await body()
            self?.work = nil
            self?.showToast(result)
        }
    }
}

/// What the page about data can do. Each returns its result as a sentence for the user.
struct DataTransfer {
    let export: (_ path: String) async -> String
    let take: (_ path: String) async -> String
    /// What the files of an account need on this computer, in bytes.
    let size: (AccountID) async -> Int64?
}
