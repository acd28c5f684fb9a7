internal import ChatModel
internal import GTKBinding

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
