import HongyanTesting
import XMLStreaming
import XMPPStanzas

@testable import XMPPClient

typealias MemoryServer = HongyanTesting.MemoryServer
typealias ManualClock = VirtualClock

struct Ping: IQRequest, Hashable {
    typealias Response = EmptyResponse
    static let name = XMLName("ping", "urn:xmpp:ping")
    init() {}
    init(from element: XMLElement) throws(XMLDecodingError) {}
    func encode(to writer: inout XMLWriter) { writer.element(Self.name) }
}

/// A request for a text, and its response.
struct Question: IQRequest, IQResponse, Hashable {
    typealias Response = Question
    static let name = XMLName("question", "urn:example:question")
    var text: String
    init(_ text: String) { self.text = text }
    init(from element: XMLElement) throws(XMLDecodingError) {
        if element.text == "unreadable" { throw XMLDecodingError(Self.name, .invalidText) }
        text = element.text
    }
    func encode(to writer: inout XMLWriter) { writer.element(Self.name, text: text) }
}

extension SessionEvents {
    /// Reads events until the closure returns a value.
    func first<Found>(_ find: (SessionEvent) -> Found?) async -> Found? {
        for await batch in self {
            for event in batch {
                if let found = find(event) { return found }
            }
        }
        return nil
    }

    /// The next message.
    func message() async -> Message? {
        await first { if case .message(let message) = $0 { message } else { nil } }
    }
}

extension ConnectionEvent {
    /// The name of the case, for lists of events.
    var label: String {
        let text = String(describing: self)
        return String(text.prefix { $0.isLetter })
    }
}

/// The labels of all connection events until the session ends.
func labels(_ events: SessionEvents) async -> [String] {
    var labels: [String] = []
    for await batch in events {
        for case .connection(let event) in batch { labels.append(event.label) }
    }
    return labels
}

/// The error of work that is expected to fail; for use inside of another expectation.
func clientError(_ work: () async throws -> Void) async -> ClientError? {
    do {
        try await work()
        return nil
    } catch {
        return error as? ClientError
    }
}
