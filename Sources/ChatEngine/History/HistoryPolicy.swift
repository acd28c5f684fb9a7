public import XMPPStream

/// How much history is fetched without anybody asking for it, and in which portions.
public struct HistoryPolicy: Hashable, Sendable {
    /// Items of a page. A screen or two, so that the first answer is soon there; servers cap it at 100 or less anyway.
    public var pageSize = 50
    /// How many pages of holes are fetched for one archive in one session without a person asking: a thousand messages. What is
    /// left is fetched when somebody scrolls there.
    public var gapPages = 20
    /// Whether what lies before everything that is here counts as a hole: each session then goes some pages further back, until
    /// everything can be searched and shown without asking.
    public var reachesBack = true
    /// The pauses after temporary failures of an archive.
    public var backoff = Backoff(first: .seconds(5), longest: .seconds(300))

    public init() {}

    public static let standard = HistoryPolicy()
}
