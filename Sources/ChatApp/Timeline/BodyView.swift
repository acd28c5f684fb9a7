internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The text of a message in the column of its bubble: a single label in most cases, otherwise labels, code blocks and quotations.
final class BodyView {
    let first: Label
    /// Whether the text is shown.
    var isVisible = true {
        didSet { if isVisible != oldValue { showVisibility() } }
    }
    /// The label that ends the text; `nil` if something else does.
    private(set) var last: Label?
    /// Called to show the whole text.
    var onShowAll: () -> Void = {}
    /// Shown below a truncated text.
    private(set) var showAll: Button?
    /// The number of layouts, for tests.
    private(set) var layouts = 0
    private var isSimple = true
    /// What follows the first label.
    private var others: [Widget] = []
    private let column: FooterColumn
    private var emojiClass: String?
    private var shown: (body: MessageBody, prefix: String?, marks: BodyMarks)?
    private let openLink: (String) -> Bool

    /// In characters. Longer lines are hard to read.
    private static let maximumLineWidth = 56

    /// - Parameters:
    ///   - column: where the text is inserted, above everything else.
    ///   - openLink: opens a clicked link; if it returns `false`, the desktop opens it.
    init(in column: FooterColumn, openLink: @escaping (String) -> Bool = { _ in false }) {
        self.column = column
        self.openLink = openLink
        first = Self.makeLabel(openLink)
        first.css("text")
        column.insert(first, after: nil)
    }

    /// The last widget of the text; what belongs below it is inserted after it.
    var end: Widget { others.last ?? first }

    private func append(_ widget: Widget) {
        column.insert(widget, after: end)
        others.append(widget)
    }

    private func showVisibility() {
        first.isVisible = isVisible && isSimple
        for widget in others { widget.isVisible = isVisible }
    }

    /// - Parameters:
    ///   - prefix: the name in front of an action (`/me`).
    ///   - marks: what is highlighted.
    func show(_ body: MessageBody, prefix: String?, marking marks: BodyMarks = BodyMarks()) {
        // A row is shown again for every state change and reaction.
        if let shown, shown.body == body, shown.prefix == prefix, shown.marks == marks { return }
        shown = (body, prefix, marks)
        layouts += 1
        if let emojiClass { first.css(emojiClass, false) }
        emojiClass = Self.emojiClass(body.emojiCount)
        if let emojiClass { first.css(emojiClass, true) }
        first.css("action", body.isAction)
        // Right-to-left text is aligned right, also in a short line above a long one.
        let isRightToLeft: Bool? =
            switch body.direction {
            case .rightToLeft: true
            case .leftToRight: false
            case .neutral: nil
            }
        first.runs(rightToLeft: isRightToLeft)

        last = first
        defer { showRest(body.isFolded) }
        let parts = Self.parts(body.blocks, marks)
        let start = prefix.map { "<b>\(Markup.escape($0))</b> " } ?? ""
        if parts.count <= 1, case .text(let markup)? = parts.first ?? .text("") {
            if !isSimple { reset() }
            show(start + markup, in: first)
            return
        }
        reset()
        isSimple = false
        first.isVisible = false
        if !start.isEmpty { append(label(start)) }
        for part in parts {
            let widget = widget(part, marks)
            widget.runs(rightToLeft: isRightToLeft)
            append(widget)
            last = if case .text = part { widget as? Label } else { nil }
        }
    }

    /// In characters. GTK also measures every label at its minimum width; with one character in each line that takes as
    /// long as everything else together.
    private static let minimumLineWidth = 12
    /// In characters: wider than ``minimumWidth`` in every font.
    private static let longLine = 40

    private static func minimumLineWidth(of text: String) -> Int {
        let isLong = text.unicodeScalars.split(separator: "\n").contains { $0.count >= longLine }
        return isLong ? minimumLineWidth : -1
    }

    private func showRest(_ isFolded: Bool) {
        if let showAll {
            column.remove(showAll)
            others.removeAll { $0 === showAll }
        }
        showAll = nil
        guard isFolded else { return }
        last = nil
        let button = Button(localized("Show All")).css("flat", "show-all").align(horizontal: .start).focusOnClick(false)
        button.onClick { [weak self] in self?.onShowAll() }
        append(button)
        showAll = button
    }

    private func reset() {
        showAll = nil
        for widget in others { column.remove(widget) }
        others = []
        isSimple = true
        first.isVisible = isVisible
    }

    private static func emojiClass(_ count: Int) -> String? {
        switch count {
        case 1: "emoji-1"
        case 2...3: "emoji-3"
        case 4...MessageBody.largeEmojiLimit: "emoji-6"
        default: nil
        }
    }

    // MARK: Parts

    private enum Part {
        case text(String)
        case code(String)
        case quotation([MessageBody.Block])
    }

    /// Consecutive lines become one label, so that they can be selected together.
    private static func parts(_ blocks: [MessageBody.Block], _ marks: BodyMarks) -> [Part] {
        var parts: [Part] = []
        for block in blocks {
            switch block {
            case .line(let pieces):
                let line = BodyMarkup.line(pieces, marking: marks)
                if case .text(let before)? = parts.last {
                    parts[parts.count - 1] = .text(before + "\n" + line)
                } else {
                    parts.append(.text(line))
                }
            case .preformatted(let text, _): parts.append(.code(text))
            case .quotation(let blocks): parts.append(.quotation(blocks))
            }
        }
        return parts
    }

    private func widget(_ part: Part, _ marks: BodyMarks) -> Widget {
        switch part {
        case .text(let markup): return label(markup)
        case .code(let text):
            let label = Self.makeLabel(openLink)
            let text = text.hasSuffix("\n") ? String(text.dropLast()) : text
            show(BodyMarkup.text(text, marking: BodyMarks(search: marks.search)), in: label)
            return label.css("code")
        case .quotation(let blocks):
            let box = Box.vertical(spacing: 4).css("quoted")
            for part in Self.parts(blocks, marks) { box.append(widget(part, marks)) }
            return box
        }
    }

    private func label(_ markup: String) -> Label {
        let label = Self.makeLabel(openLink)
        show(markup, in: label)
        return label.css("text")
    }

    private func show(_ markup: String, in label: Label) {
        label.show(markup: markup)
        label.characters(minimum: Self.minimumLineWidth(of: label.text), maximum: Self.maximumLineWidth)
    }

    private static func makeLabel(_ openLink: @escaping (String) -> Bool) -> Label {
        let label = Label().wrap(maximumCharacters: maximumLineWidth).textAlignment(0).selectable().focusOnClick(false)
        label.onLink(openLink)
        return label
    }
}

/// What is highlighted in a text.
struct BodyMarks: Equatable {
    /// The words of a search.
    var search = ""
    /// The user's nickname, where a message mentions the user.
    var name: String?

    /// Whether the word that addresses everybody is marked.
    var marksEverybody = false

    /// Where the name and that word are, in characters.
    func names(in text: String) -> [Range<Int>] {
        let names = name.map { SearchMarks.names(of: $0, in: text) } ?? []
        let everybody = marksEverybody ? EverybodyMention.first(in: text).map { [$0.range] } ?? [] : []
        return (names + everybody).sorted { $0.lowerBound < $1.lowerBound }
    }
}

/// Creates Pango markup from the pieces of a message.
enum BodyMarkup {
    static func line(_ pieces: [MessageBody.Piece], marking marks: BodyMarks = BodyMarks()) -> String {
        pieces.map { markup($0, marks) }.joined()
    }

    /// Escaped text with highlighted words.
    static func text(_ text: String, marking marks: BodyMarks) -> String {
        guard !marks.search.isEmpty else {
            // Transparent, so that it suits light and dark styles.
            return marked(
                text, marks.names(in: text), open: "<span weight=\"bold\" background=\"#3584e4\" bgalpha=\"30%\">",
                close: "</span>")
        }
        let highlight = marks.search
        // Markup cannot use the theme's colours; black on yellow is readable in light and dark styles.
        return marked(
            text, SearchMarks.ranges(of: highlight, in: text),
            open: "<span background=\"#f8e45c\" foreground=\"#000000\">", close: "</span>")
    }

    /// - Parameter ranges: in characters, in ascending order.
    static func marked(_ text: String, _ ranges: [Range<Int>], open: String, close: String) -> String {
        let characters = Array(text)
        var result = ""
        var start = 0
        for range in ranges where range.lowerBound >= start && range.upperBound <= characters.count {
            result += Markup.escape(String(characters[start..<range.lowerBound]))
            result += open + Markup.escape(String(characters[range])) + close
            start = range.upperBound
        }
        return result + Markup.escape(String(characters[start...]))
    }

    private static func markup(_ piece: MessageBody.Piece, _ marks: BodyMarks) -> String {
        // The style shows what the directive says.
        if piece.style.contains(.sign) { return "" }
        var text = text(piece.text, marking: piece.link == nil ? marks : BodyMarks(search: marks.search))
        if let link = piece.link {
            let hint = LinkWarning.hint(link).map { " title=\"\(Markup.escape($0))\"" } ?? ""
            // Isolated (Unicode Standard Annex 9 §2.4): the text around the link does not affect the order of its
            // characters.
            text = "\u{2068}<a href=\"\(Markup.escape(link))\"\(hint)>\(text)</a>\u{2069}"
        }
        if piece.style.contains(.strong) { text = "<b>\(text)</b>" }
        if piece.style.contains(.emphasis) { text = "<i>\(text)</i>" }
        if piece.style.contains(.strikethrough) { text = "<s>\(text)</s>" }
        if piece.style.contains(.monospace) { text = "<tt>\(text)</tt>" }
        return text
    }
}

/// Warns before opening a link whose text or host can be mistaken for another one.
enum LinkWarning {
    /// The tooltip: the real target, if it differs from the visible text.
    static func hint(_ link: String) -> String? {
        LinkHost(link)?.asciiName.map { localized("Leads to %@", $0) }
    }

    /// Opens a link, after a question if it is deceptive.
    static func open(_ link: String, over parent: Window?) {
        if !ask(link, over: parent) { ToolkitSettings.open(link, over: parent) }
    }

    /// - Returns: `true` if a dialog is shown; otherwise the desktop opens the link.
    @discardableResult
    static func ask(_ link: String, over parent: Window?, shown: (MessageDialog) -> Void = { _ in }) -> Bool {
        guard let host = LinkHost(link), host.isDeceptive else { return false }
        let dialog = MessageDialog(
            localized("Open this link?"),
            body: localized("Its address looks like another one. It leads to %@.", host.asciiName ?? link)
        ).add("cancel", localized("_Cancel")).add("open", localized("_Open"), .destructive)
            .byDefault("cancel").onEscape("cancel")
        dialog.present(over: parent) { [weak parent] in
            if $0 == "open" { ToolkitSettings.open(link, over: parent) }
        }
        shown(dialog)
        return true
    }
}
