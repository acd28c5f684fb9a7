import ChatStore
import Testing

@testable import TerminalApp

@Suite struct FailureNewsTests {
    private let refused = FailureReason(.refused, condition: "forbidden", text: nil)
    private let earlier = MessageID(rawValue: 1)
    private let last = MessageID(rawValue: 2)
    private let id = MessageID(rawValue: 3)

    @Test("S1-35: a message that is first drawn when it has failed already is told, once")
    func failedAtOnce() {
        var news = FailureNews(after: last)
        #expect(news.reason(of: id, .failed(refused), from: nil) == refused)
        #expect(news.reason(of: id, .failed(refused), from: .failed(refused)) == nil)
        // It left the window and returned.
        #expect(news.reason(of: id, .failed(refused), from: nil) == nil)
    }

    @Test("A failure from before the conversation was opened is no news, also on an older page")
    func oldFailures() {
        var news = FailureNews(after: last)
        #expect(news.reason(of: earlier, .failed(refused), from: nil) == nil)
        #expect(news.reason(of: earlier, .failed(refused), from: .failed(refused)) == nil)
    }

    @Test("An old message that fails now is told, and again after each further attempt")
    func attempts() {
        var news = FailureNews(after: last)
        #expect(news.reason(of: earlier, .queued, from: nil) == nil)
        #expect(news.reason(of: earlier, .failed(refused), from: .queued) == refused)
        #expect(news.reason(of: earlier, .queued, from: .failed(refused)) == nil)
        #expect(news.reason(of: earlier, .failed(refused), from: .queued) == refused)
    }
}
