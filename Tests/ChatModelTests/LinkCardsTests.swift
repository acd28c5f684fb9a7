import ChatFixtures
import MessageFeatures
import Synchronization
import Testing

@testable import ChatModel

@Suite("Cards of links")
@MainActor
struct LinkCardsTests {
    private let clock = ManualClock()

    @Test("a link is described a moment after it was written, once, and only if the user wants that")
    func describing() async throws {
        let asked = Asked()
        let isOn = Mutex(true)
        let cards = LinkCards(
            describe: { link in
                asked.add(link)
                return LinkDescription(of: link, title: "A page")
            }, clock: clock, isOn: { isOn.withLock { $0 } })
        cards.textChanged("see https://example.org/a")
        await clock.sleeps(1)
        #expect(asked.all.isEmpty && cards.card == nil)
        clock.advance(by: LinkCards.delay)
        await eventually { cards.card != nil }
        cards.textChanged("see https://example.org/a now")
        #expect(asked.all == ["https://example.org/a"] && cards.card?.title == "A page")
        #expect(cards.take(for: "something else") == nil)
        cards.textChanged("see https://example.org/b and http://example.org/c")
        await clock.sleeps(2)
        clock.advance(by: LinkCards.delay)
        await eventually { cards.card != nil }
        #expect(cards.take(for: "see https://example.org/b")?.link == "https://example.org/b")
        #expect(cards.card == nil)
        isOn.withLock { $0 = false }
        cards.textChanged("see https://example.org/d")
        #expect(cards.card == nil && asked.all.count == 2)
    }

    @Test("a card that the user does not want does not come back; a link that changed is not described")
    func dismissed() async throws {
        let asked = Asked()
        let cards = LinkCards(
            describe: { link in
                asked.add(link)
                return LinkDescription(of: link, title: "A page")
            }, clock: clock, isOn: { true })
        cards.textChanged("https://example.org/a")
        cards.textChanged("https://example.org/ab")
        await clock.sleeps(2)
        clock.advance(by: LinkCards.delay)
        await eventually { cards.card != nil }
        #expect(asked.all == ["https://example.org/ab"])
        cards.dismiss()
        #expect(cards.card == nil)
        cards.textChanged("")
        cards.textChanged("https://example.org/ab")
        #expect(cards.take(for: "https://example.org/ab") == nil && asked.all.count == 1)
    }

    private final class Asked: Sendable {
        private let links = Mutex<[String]>([])
        var all: [String] { links.withLock { $0 } }
        func add(_ link: String) { links.withLock { $0.append(link) } }
    }
}
