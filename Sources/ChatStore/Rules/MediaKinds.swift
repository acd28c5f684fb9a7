/// Kinds of files, each by the bit of its number.
package struct MediaKinds: OptionSet, Hashable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    init(_ kinds: some Sequence<Attachment.Kind>) {
        rawValue = kinds.reduce(0) { $0 | 1 << $1.rawValue }
    }

    init(_ attachments: [Attachment]) { self.init(attachments.lazy.map(\.kind)) }

    /// All sets in which one of these kinds is.
    var supersets: [MediaKinds] {
        (1..<1 << (Attachment.Kind.allCases.count)).map(MediaKinds.init(rawValue:)).filter {
            !$0.isDisjoint(with: self)
        }
    }
}
