internal import ChatModel
internal import Localization

/// The beginning of a text that is too long to be shown whole, by the rule that the desktop program folds with.
enum TextFolding {
    /// About two screens of 80 × 24 in code points, and about one screen in lines: what scrolls by can still be read.
    static let limits: TextFold.Limits = {
        var limits = TextFold.Limits.message
        (limits.length, limits.lines, limits.wordLength) = (4000, 30, 4000)
        return limits
    }()

    /// `text`, or what of it is shown and how many code points are not.
    static func folded(_ text: String) -> String {
        let fold = TextFold(text, limits)
        guard fold.isFolded else { return text }
        let more = text.unicodeScalars.count - fold.text.unicodeScalars.count
        return fold.text + localized("… (%@ more characters)", max(1, more))
    }
}
