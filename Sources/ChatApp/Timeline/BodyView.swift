internal import ChatModel
internal import GTKBinding
internal import Localization

/// The text of a message: one label where that is enough, which it nearly always is; else labels, code and quotations below
/// each other.
final class BodyView {
    let root = Box.vertical(spacing: 4)
    let first: Label
    /// The person wants to see the whole text.
    var onShowAll: () -> Void = {}
    /// Below a text that is not shown whole.
    private(set) var showAll: Button?
    /// How often it was laid out, for tests.
    private(set) var layouts = 0
    private var isSimple = true
    private var emojiClass: String?
    private var shown: (body: MessageBody, prefix: String?, sought: String)?
    private let openLink: (String) -> Bool

    /// So wide a line is still easy to read.
    private static let widestLine = 56

    /// - Parameter openLink: opens a link that is clicked; where it answers `false` the desktop does.
    init(openLink: @escaping (String) -> Bool = { _ in false }) {
        self.openLink = openLink
        first = Self.makeLabel(openLink)
        first.css("text")
        root.append(first)
    }

    /// - Parameters:
    ///   - prefix: stands in front of what somebody does (`/me`).
    ///   - sought: words that are marked where they stand.
    func show(_ body: MessageBody, prefix: String?, marking sought: String = "") {
        // A row is shown again with each tick and reaction.
        if let shown, shown.body == body, shown.prefix == prefix, shown.sought == sought { return }
        shown = (body, prefix, sought)
        layouts += 1
        if let emojiClass { first.css(emojiClass, false) }
        emojiClass = Self.emojiClass(body.emojiCount)
        if let emojiClass { first.css(emojiClass, true) }
        first.css("action", body.isAction)
        // Text that runs from the right begins there, in a short line above a long one, too.
        let isRightToLeft: Bool? =
            switch body.direction {
            case .rightToLeft: true
            case .leftToRight: false
            case .neutral: nil
            }
        first.runs(rightToLeft: isRightToLeft)

        defer { showRest(body.isFolded) }
        let parts = Self.parts(body.blocks, sought)
        let start = prefix.map { "<b>\(Markup.escape($0))</b> " } ?? ""
        if parts.count <= 1, case .text(let markup)? = parts.first ?? .text("") {
            if !isSimple { reset() }
            show(start + markup, in: first)
            return
        }
        reset()
        isSimple = false
        first.isVisible = false
        if !start.isEmpty { root.append(label(start)) }
        for part in parts {
            let widget = widget(part, sought)
            widget.runs(rightToLeft: isRightToLeft)
            root.append(widget)
        }
    }

    /// A long line is never shown in fewer characters than these. GTK lays each text out as narrow as it may become, too, which takes
    /// as long as all else when that is one letter in each line.
    private static let leastWidth = 12
    /// A line of so many is in any font wider than that.
    private static let longLine = 40

    private static func leastWidth(of text: String) -> Int {
        let isLong = text.unicodeScalars.split(separator: "\n").contains { $0.count >= longLine }
        return isLong ? leastWidth : -1
    }

    private func showRest(_ isFolded: Bool) {
        if let showAll { root.remove(showAll) }
        showAll = nil
        guard isFolded else { return }
        let button = Button(localized("Show all")).css("flat", "show-all").align(horizontal: .start).focusOnClick(false)
        button.onClick { [weak self] in self?.onShowAll() }
        root.append(button)
        showAll = button
    }

    private func reset() {
        showAll = nil
        root.removeAll()
        root.append(first)
        first.isVisible = true
        isSimple = true
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

    /// Lines that follow each other are one text, so that they can be selected together.
    private static func parts(_ blocks: [MessageBody.Block], _ sought: String) -> [Part] {
        var parts: [Part] = []
        for block in blocks {
            switch block {
            case .line(let pieces):
                let line = BodyMarkup.line(pieces, marking: sought)
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

    private func widget(_ part: Part, _ sought: String) -> Widget {
        switch part {
        case .text(let markup): return label(markup)
        case .code(let text):
            let label = Self.makeLabel(openLink)
            show(BodyMarkup.text(text.hasSuffix("\n") ? String(text.dropLast()) : text, marking: sought), in: label)
            return label.css("code")
        case .quotation(let blocks):
            let box = Box.vertical(spacing: 4).css("quoted")
            for part in Self.parts(blocks, sought) { box.append(widget(part, sought)) }
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
        label.characters(minimum: Self.leastWidth(of: label.text), maximum: Self.widestLine)
    }

    private static func makeLabel(_ openLink: @escaping (String) -> Bool) -> Label {
        let label = Label().wrap(maximumCharacters: widestLine).textAlignment(0).selectable().focusOnClick(false)
        label.onLink(openLink)
        return label
    }
}

/// Makes Pango's markup of the pieces of a message.
enum BodyMarkup {
    /// - Parameter sought: words that are marked where they stand.
    static func line(_ pieces: [MessageBody.Piece], marking sought: String = "") -> String {
        pieces.map { markup($0, sought) }.joined()
    }

    /// Text for itself, with words marked in it.
    static func text(_ text: String, marking sought: String) -> String {
        guard !sought.isEmpty else { return Markup.escape(text) }
        // No colour of the theme can be named in markup; black on yellow is read on light and dark alike.
        return marked(
            text, SearchMarks.places(of: sought, in: text),
            open: "<span background=\"#f8e45c\" foreground=\"#000000\">", close: "</span>")
    }

    /// - Parameter places: in characters, in order.
    static func marked(_ text: String, _ places: [Range<Int>], open: String, close: String) -> String {
        let characters = Array(text)
        var result = ""
        var start = 0
        for place in places where place.lowerBound >= start && place.upperBound <= characters.count {
            result += Markup.escape(String(characters[start..<place.lowerBound]))
            result += open + Markup.escape(String(characters[place])) + close
            start = place.upperBound
        }
        return result + Markup.escape(String(characters[start...]))
    }

    private static func markup(_ piece: MessageBody.Piece, _ sought: String) -> String {
        var text = text(piece.text, marking: sought)
        if let link = piece.link {
            let hint = LinkQuestion.hint(link).map { " title=\"\(Markup.escape($0))\"" } ?? ""
            // Isolated (Unicode Standard Annex 9 §2.4): what stands around it does not order its letters.
            text = "\u{2068}<a href=\"\(Markup.escape(link))\"\(hint)>\(text)</a>\u{2069}"
        }
        if piece.style.contains(.strong) { text = "<b>\(text)</b>" }
        if piece.style.contains(.emphasis) { text = "<i>\(text)</i>" }
        if piece.style.contains(.strikethrough) { text = "<s>\(text)</s>" }
        if piece.style.contains(.monospace) { text = "<tt>\(text)</tt>" }
        if piece.style.contains(.sign) { text = "<span alpha=\"45%\">\(text)</span>" }
        return text
    }
}

/// Asks before a link is opened whose host can be taken for another one.
enum LinkQuestion {
    /// What stands under the pointer: where it really leads, if that is not what is read.
    static func hint(_ link: String) -> String? {
        LinkHost(link)?.asciiName.map { localized("Leads to %@", $0) }
    }

    /// - Returns: whether this takes care of the link; if not, the desktop opens it.
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
