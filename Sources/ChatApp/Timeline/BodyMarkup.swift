internal import ChatModel
internal import GTKBinding

/// Makes Pango's markup of the pieces of a message.
enum BodyMarkup {
    static func line(_ pieces: [MessageBody.Piece]) -> String {
        pieces.map(markup).joined()
    }

    private static func markup(_ piece: MessageBody.Piece) -> String {
        var text = Markup.escape(piece.text)
        if let link = piece.link { text = "<a href=\"\(Markup.escape(link))\">\(text)</a>" }
        if piece.style.contains(.strong) { text = "<b>\(text)</b>" }
        if piece.style.contains(.emphasis) { text = "<i>\(text)</i>" }
        if piece.style.contains(.strikethrough) { text = "<s>\(text)</s>" }
        if piece.style.contains(.monospace) { text = "<tt>\(text)</tt>" }
        if piece.style.contains(.sign) { text = "<span alpha=\"45%\">\(text)</span>" }
        return text
    }
}
