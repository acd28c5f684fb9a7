internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import XMPPAddress

/// The form to join a room: its address, the nickname, and a password if needed; or to create a room.
final class RoomEntryView {
    let root: Widget
    /// Called with the conversation of a room that was joined, and whether it was created.
    var onDone: (_ key: ConversationKey, _ isNew: Bool) -> Void = { _, _ in }

    let model: RoomEntryModel
    let page = FormPage(title: nil, description: nil, button: localized("_Join"))
    let creation: RoomCreationView
    let room = EntryRow(localized("Room"))
    let nickname = EntryRow(localized("Your nickname"))
    let password = PasswordEntryRow(localized("Password of the room"))

    private let title = WindowTitle(localized("Join a Room"))
    private let header: HeaderBar
    private let back = Button(icon: "go-previous-symbolic").named(localized("Back")).hidden()
    let stack = Stack(crossfades: true)
    private let roomGroup: PreferencesGroup
    let suggestions = RoomSuggestions()
    let directory: RoomDirectory
    private let directoryRow = ActionRow(localized("Public rooms"))
    private var shownQuestion: RoomEntryModel.Question?
    private var work: Task<Void, Never>?
    private var preparing: Task<Void, Never>?
    /// A validation error of this view, shown before the model is asked.
    private var remark: String?

    init(_ model: RoomEntryModel) {
        self.model = model
        creation = RoomCreationView(model)
        directory = RoomDirectory(model)
        roomGroup = PreferencesGroup("", description: nil, [room])
        header = HeaderBar(title: title)
        header.prepend(back)
        stack.add(page.root, name: "join")
        stack.add(creation.page.root, name: "make")
        stack.add(directory.root, name: "directory")
        root = Box.vertical(header, stack.expand(.vertical))
        if model.accounts.count > 1 { page.add(accounts()) }
        page.add(Box.vertical(spacing: 6, roomGroup, suggestions.root))
        page.add(PreferencesGroup("", description: nil, [nickname, password]))
        page.add(PreferencesGroup("", description: nil, [directoryRow, makingRow()]))
        page.order([room, nickname, password])
        connect()
        observe(self) { view in view.show() }
        prepare()
    }

    private func accounts() -> Widget {
        let row = ComboRow(localized("As"), choices: model.accounts.map(\.description))
        row.selected = model.accountIndex
        row.onSelect { [weak self] index in
            guard let self, index != self.model.accountIndex else { return }
            self.model.accountIndex = index
            self.prepare()
        }
        return PreferencesGroup("", description: nil, [row])
    }

    private func makingRow() -> ActionRow {
        let row = ActionRow(
            localized("Create a new room"), subtitle: localized("For invited people, or for everyone"))
        row.append(Icon("go-next-symbolic"))
        row.onActivate { [weak self] in self?.open("make") }
        return row
    }

    private func connect() {
        directoryRow.append(Icon("go-next-symbolic"))
        directoryRow.onActivate { [weak self] in self?.open("directory") }
        func typed(_ row: EntryRow, _ path: ReferenceWritableKeyPath<RoomEntryModel, String>) {
            row.onChange { [weak self] text in
                guard let self, self.model[keyPath: path] != text else { return }
                self.remark = nil
                self.model[keyPath: path] = text
            }
        }
        typed(room, \.text)
        typed(nickname, \.nickname)
        typed(password, \.password)
        suggestions.onChoice = { [weak self] in self?.choose($0) }
        directory.onChoice = { [weak self] in
            self?.choose($0)
            self?.open("join")
        }
        directory.onStop = { [weak self] in self?.goBack() }
        page.onContinue = { [weak self] in self?.enter() }
        page.onCancel = { [weak self] in self?.work?.cancel() }
        creation.page.onContinue = { [weak self] in self?.make() }
        creation.page.onCancel = { [weak self] in self?.work?.cancel() }
        back.onClick { [weak self] in self?.goBack() }
        root.onKey(.bubble) { [weak self] key in
            guard key.key == .escape else { return false }
            return self?.goBack() ?? false
        }
    }

    private func prepare() {
        preparing?.cancel()
        preparing = Task { [model] in await model.run() }
    }

    /// Shows the page for a new room.
    func showCreation() { open("make") }

    func focus() { (shownQuestion?.isAboutPassword == true ? password : room).grabFocus() }

    /// Cancels the current operation.
    func close() {
        work?.cancel()
        preparing?.cancel()
    }

    // MARK: Pages

    private func open(_ name: String) {
        if name == "directory" { directory.begin() }
        if name == "make" { model.password = "" }
        stack.shown = name
        back.isVisible = name != "join"
        switch name {
        case "make":
            title.show(title: localized("Create a Room"))
            creation.focus()
        case "directory":
            title.show(title: localized("Public Rooms"))
            directory.focus()
        default:
            title.show(title: localized("Join a Room"))
            room.grabFocus()
        }
    }

    /// - Returns: `false` if this is the first page.
    @discardableResult
    private func goBack() -> Bool {
        guard stack.shown != "join", !model.isWorking else { return false }
        if stack.shown == "directory" { directory.restoreSearch() }
        open("join")
        return true
    }

    private func choose(_ listing: RoomListing) {
        model.text = listing.address.description
        nickname.grabFocus()
    }

    // MARK: Actions

    func enter() {
        if model.question == .missing { return open("make") }
        guard check() else { return }
        run(isNew: false) { model in await model.join() }
    }

    func make() {
        guard check() else { return }
        run(isNew: true) { model in await model.create() }
    }

    /// Shows what is missing in the form.
    private func check() -> Bool {
        guard !model.canProceed, !model.isWorking else { return !model.isWorking }
        remark = model.missingText
        show()
        return false
    }

    private func run(isNew: Bool, _ body: @escaping (RoomEntryModel) async -> ConversationKey?) {
        remark = nil
        work = Task { [weak self, model] in
            let key = await body(model)
            guard let self else { return }
            if let key {
                self.onDone(key, isNew)
            } else if Task.isCancelled {
                self.remark = ""
                self.show()
            }
        }
    }

    // MARK: Content

    private func show() {
        if room.text != model.text { room.text = model.text }
        if nickname.text != model.nickname { nickname.text = model.nickname }
        if password.text != model.password { password.text = model.password }
        roomGroup.show(description: model.hint)
        suggestions.show(model)
        directoryRow.isVisible = !model.listings.isEmpty
        directoryRow.show(
            subtitle: localized("%@ room", plural: "%@ rooms", count: model.listings.count))
        // The missing information may arrive later: discovery of the room service can finish after the user clicked
        // Join.
        if remark?.isEmpty == false, model.canProceed { remark = nil }
        let failure = remark ?? model.failureText
        let message = failure.flatMap { $0.isEmpty ? nil : $0 }
        page.show(failure: message)
        page.show(progress: model.isWorking ? localized("Joining the room…") : nil)
        page.show(button: model.question == .missing ? localized("_Create This Room…") : localized("_Join"))
        creation.show(failure: message == nil || model.question == .missing && remark == nil ? nil : message)
        showQuestion()
    }

    private func showQuestion() {
        let question = model.question
        password.isVisible = question?.isAboutPassword ?? !model.password.isEmpty
        password.isWrong(question == .password(isWrong: true))
        nickname.isWrong(question == .nickname(taken: model.nickname))
        guard question != shownQuestion, !model.isWorking else { return }
        shownQuestion = question
        switch question {
        case .password: password.grabFocus()
        case .nickname where stack.shown == "join": nickname.grabFocus()
        default: break
        }
    }
}

extension RoomEntryModel {
    /// The address that the typed name results in, or how to write one.
    var hint: String {
        if let address, !text.contains("@") { return address.description }
        guard let service else { return localized("The whole address, such as garden@rooms.example.org") }
        return localized("A name at %@, or a whole address", service)
    }

    /// The text about the field that must be filled in first.
    var missingText: String {
        if text.allSatisfy(\.isWhitespace) { return localized("Enter the name or the address of a room.") }
        if address == nil {
            return service == nil
                ? localized("Enter the whole address of the room, such as garden@rooms.example.org.")
                : localized("This cannot be the address of a room.")
        }
        if nickname.allSatisfy(\.isWhitespace) { return localized("Enter a nickname; the others in the room see it.") }
        return localized("Enter the password of the room.")
    }

    /// A wrong password is explained at the password field, which is visible then.
    var failureText: String? {
        guard case .password(let isWrong) = question, failure != nil else { return failure }
        return isWrong ? localized("The password of the room is wrong.") : localized("The room needs a password.")
    }
}

extension RoomEntryModel.Question {
    var isAboutPassword: Bool { if case .password = self { true } else { false } }
}
