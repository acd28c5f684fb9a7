internal import ChatEngine
public import MessageFeatures
public import Observation

/// The description of the first link of the text being written (XEP-0511), if the user wants links to be described.
///
/// The page is opened a moment after the link was written, and once for each link.
@MainActor
@Observable
public final class LinkCards {
    public typealias Card = LinkDescription

    /// The description that is sent with the text.
    public private(set) var card: LinkDescription?

    /// How long after the last change.
    public static let delay = Duration.milliseconds(700)

    @ObservationIgnored private let describe: @Sendable (String) async -> LinkDescription?
    @ObservationIgnored private let isOn: @MainActor () -> Bool
    @ObservationIgnored private let clock: any Clock<Duration>
    @ObservationIgnored private var link: String?
    @ObservationIgnored private var dismissed: String?
    @ObservationIgnored private var work: Task<Void, Never>?

    /// - Parameters:
    ///   - describe: opens the page behind a link; by default over the network.
    ///   - isOn: whether the user wants it.
    public init(
        describe: (@Sendable (String) async -> LinkDescription?)? = nil,
        clock: any Clock<Duration> = ContinuousClock(), isOn: @escaping @MainActor () -> Bool
    ) {
        self.describe = describe ?? { await LinkDescriber().describe($0) }
        self.isOn = isOn
        self.clock = clock
    }

    isolated deinit { work?.cancel() }

    /// The text has changed.
    public func textChanged(_ text: String) {
        let found = isOn() ? Self.firstLink(of: text) : nil
        guard found != link else { return }
        link = found
        card = nil
        work?.cancel()
        guard let found, found != dismissed else { return }
        work = Task { [weak self, clock, describe] in
            guard (try? await clock.sleep(for: Self.delay)) != nil else { return }
            let description = await describe(found)
            guard !Task.isCancelled, let self, self.link == found else { return }
            self.card = description
        }
    }

    /// The user does not want this one.
    public func dismiss() {
        dismissed = link
        card = nil
        work?.cancel()
    }

    /// The description to send with a text; afterwards there is none.
    func take(for text: String) -> LinkDescription? {
        defer {
            (link, card) = (nil, nil)
            work?.cancel()
        }
        guard let card, text.contains(card.link) else { return nil }
        return card
    }

    /// The first link to a page; other links are not opened.
    static func firstLink(of text: String) -> String? {
        let finder = LinkFinder(text)
        return finder.ranges.lazy.map { String(text[$0]) }.first { $0.lowercased().hasPrefix("https://") }
    }
}
