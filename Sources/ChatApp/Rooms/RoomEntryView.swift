internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import XMPPAddress

/// Entering a room: which one, as whom, and what the room wants to know; or making one that is not there yet.
final class RoomEntryView {
    let root: Widget
    var onDone: (ConversationKey) -> Void = { _ in }

    let model: RoomEntryModel
    let page = FormPage(title: localized("Join a room"), description: nil, button: localized("_Join"))
    let making: RoomMakingView
    let room = EntryRow(localized("Room"))
    let nickname = EntryRow(localized("Your nickname"))
    let password = PasswordEntryRow(localized("Password of the room"))

    private let header = HeaderBar(title: WindowTitle(""))
    private let back = Button(icon: "go-previous-symbolic").named(localized("Back")).hidden()
    private let stack = Stack(crossfades: true)
    private let roomGroup: PreferencesGroup
    let suggestions = RoomSuggestions()
    private let directory: RoomDirectory
    private let directoryRow = ActionRow(localized("Public rooms"))
    private var shownQuestion: RoomEntryModel.Question?
    private var work: Task<Void, Never>?
    /// What this view has to say itself, before the model was asked.
    private var remark: String?

    init(_ model: RoomEntryModel) {
        self.model = model
        making = RoomMakingView(model)
        directory = RoomDirectory(model)
        roomGroup = PreferencesGroup("", description: nil, [room])
        header.prepend(back)
        stack.add(page.root, name: "join")
        stack.add(making.page.root, name: "make")
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
            localized("Make a new room"), subtitle: localized("For a few who are invited, or for everybody"))
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
        page.onContinue = { [weak self] in self?.enter() }
        page.onCancel = { [weak self] in self?.work?.cancel() }
        making.page.onContinue = { [weak self] in self?.make() }
        making.page.onCancel = { [weak self] in self?.work?.cancel() }
        back.onClick { [weak self] in self?.goBack() }
        root.onKey(.bubble) { [weak self] key in
            guard key.key == .escape else { return false }
            return self?.goBack() ?? false
        }
    }

    private func prepare() { Task { [model] in await model.prepare() } }

    func focus() { (shownQuestion?.isAboutPassword == true ? password : room).grabFocus() }

    /// Gives up what goes on.
    func close() { work?.cancel() }

    // MARK: Pages

    private func open(_ name: String) {
        if name == "directory" { directory.begin() }
        if name == "make" { model.password = "" }
        stack.shown = name
        back.isVisible = name != "join"
        switch name {
        case "make": making.focus()
        case "directory": directory.focus()
        default: room.grabFocus()
        }
    }

    /// - Returns: whether there was a step back.
    @discardableResult
    private func goBack() -> Bool {
        guard stack.shown != "join", !model.isWorking else { return false }
        if stack.shown == "directory" { directory.giveUp() }
        open("join")
        return true
    }

    private func choose(_ listing: RoomListing) {
        model.text = listing.address.description
        nickname.grabFocus()
    }

    // MARK: Doing

    func enter() {
        if model.question == .missing { return open("make") }
        guard check() else { return }
        run { model in await model.enter() }
    }

    func make() {
        guard check() else { return }
        run { model in await model.make() }
    }

    /// Says what is missing.
    private func check() -> Bool {
        guard !model.canProceed, !model.isWorking else { return !model.isWorking }
        remark = model.missingWords
        show()
        return false
    }

    private func run(_ body: @escaping (RoomEntryModel) async -> ConversationKey?) {
        remark = nil
        work = Task { [weak self, model] in
            let key = await body(model)
            guard let self else { return }
            if let key {
                self.onDone(key)
            } else if Task.isCancelled {
                self.remark = ""
                self.show()
            }
        }
    }

    // MARK: Showing

    private func show() {
        if room.text != model.text { room.text = model.text }
        if nickname.text != model.nickname { nickname.text = model.nickname }
        if password.text != model.password { password.text = model.password }
        roomGroup.show(description: model.hint)
        suggestions.show(model)
        directoryRow.isVisible = !model.listings.isEmpty
        directoryRow.show(
            subtitle: localized("%@ room", plural: "%@ rooms", count: model.listings.count))
        // What was missing is not any more: the service of rooms may be found after somebody has asked for a room.
        if remark?.isEmpty == false, model.canProceed { remark = nil }
        let failure = remark ?? model.failureWords
        let sentence = failure.flatMap { $0.isEmpty ? nil : $0 }
        page.show(failure: sentence)
        page.show(progress: model.isWorking ? localized("Entering the room…") : nil)
        page.show(button: model.question == .missing ? localized("_Make this room…") : localized("_Join"))
        making.show(failure: sentence == nil || model.question == .missing && remark == nil ? nil : sentence)
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
    /// Which room is meant by a name, or how rooms are named.
    var hint: String {
        if let address, !text.contains("@") { return address.description }
        guard let service else { return localized("The whole address, such as garden@rooms.example.org") }
        return localized("A name at %@, or a whole address", service)
    }

    /// What has to be filled in before anything can be asked.
    var missingWords: String {
        if text.allSatisfy(\.isWhitespace) { return localized("Enter the name or the address of a room.") }
        if address == nil {
            return service == nil
                ? localized("Enter the whole address of the room, such as garden@rooms.example.org.")
                : localized("This cannot be the address of a room.")
        }
        if nickname.allSatisfy(\.isWhitespace) { return localized("Enter a nickname; the others in the room see it.") }
        return localized("Enter the password of the room.")
    }

    /// The field for the password is there when it is asked for, so that can be said better.
    var failureWords: String? {
        guard case .password(let isWrong) = question, failure != nil else { return failure }
        return isWrong ? localized("This is not the password of the room.") : localized("The room asks for a password.")
    }
}

extension RoomEntryModel.Question {
    var isAboutPassword: Bool { if case .password = self { true } else { false } }
}
