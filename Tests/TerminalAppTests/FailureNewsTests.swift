import ChatStore
import Testing

@testable import TerminalApp

@Suite struct FailureNewsTests {
    private let opened = MessageTime(millisecondsSince1970: 10_000)
    private let later = MessageTime(millisecondsSince1970: 10_001)
    private let earlier = MessageTime(millisecondsSince1970: 9_999)
    private let refused = FailureReason(.refused, condition: "forbidden", text: nil)
    private let id = MessageID(rawValue: 1)

    @Test("S1-35: a message that is first drawn when it has failed already is told, once")
    func failedAtOnce() {
        var news = FailureNews(since: opened)
        #expect(news.reason(of: id, .failed(refused), from: nil, at: later) == refused)
        #expect(news.reason(of: id, .failed(refused), from: .failed(refused), at: later) == nil)
        // It left the window and returned.
        #expect(news.reason(of: id, .failed(refused), from: nil, at: later) == nil)
    }

    @Test("A failure from before the conversation was opened is no news, also on an older page")
    func oldFailures() {
        var news = FailureNews(since: opened)
        #expect(news.reason(of: id, .failed(refused), from: nil, at: earlier) == nil)
        #expect(news.reason(of: id, .failed(refused), from: .failed(refused), at: earlier) == nil)
    }

    @Test("An old message that fails now is told, and again after each further attempt")
    func attempts() {
        var news = FailureNews(since: opened)
        #expect(news.reason(of: id, .queued, from: nil, at: earlier) == nil)
        #expect(news.reason(of: id, .failed(refused), from: .queued, at: earlier) == refused)
        #expect(news.reason(of: id, .queued, from: .failed(refused), at: earlier) == nil)
        #expect(news.reason(of: id, .failed(refused), from: .queued, at: earlier) == refused)
    }
}
