internal import Foundation

/// A name as it is sorted and found: without case, width and accents, the same in every locale.
struct FoldedName: Hashable, Comparable, Sendable {
    let text: String

    init(_ name: String) {
        text = name.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    }

    static func < (left: Self, right: Self) -> Bool { left.text < right.text }

    /// Every word of the search is somewhere in one of the names.
    static func matches(_ search: String, in names: [FoldedName]) -> Bool {
        FoldedName(search).text.split(whereSeparator: \.isWhitespace).allSatisfy { word in
            names.contains { $0.text.contains(word) }
        }
    }
}
