import XMLStreaming
import XMPPStanzas

/// The errors with which the server answers requests to an address without a client, by the language of the request,
/// because the texts of servers depend on it.
struct AbsentAddressReplies {
    struct Answer {
        var error = StanzaError(.serviceUnavailable)
        var language: String?
        /// Whether the response repeats the payload of the request.
        var repeatsRequest = false
    }

    /// How to answer a request of a stranger.
    enum Decision {
        case answer(IQ)
        /// The server has been asked already, or too many requests are waiting.
        case wait
        /// Ask the server in this language, and report with ``found(_:in:)``.
        case ask(language: String)
    }

    private enum Knowledge {
        /// The server is being asked; these requests wait for it.
        case asking([IQ])
        case known(Answer)
    }

    /// The maximum number of waiting requests of strangers. More are part of a flood and stay unanswered.
    static let waitingLimit = 64
    /// The maximum number of languages in which the server is asked.
    static let languageLimit = 8
    /// The maximum size of a repeated payload, in bytes: every server must accept stanzas of this size (RFC 6120
    /// §13.12).
    static let repetitionLimit = 8000
    /// The timeout for the response of our server.
    static let timeout = Duration.seconds(10)

    private var byLanguage: [String: Knowledge] = [:]

    mutating func requestReceived(_ iq: IQ) -> Decision {
        var language = iq.language ?? ""
        if byLanguage[language] == nil, byLanguage.count >= Self.languageLimit { language = "" }
        switch byLanguage[language] {
        case .known(let answer): return .answer(answer.reply(to: iq))
        case .asking(let waiting):
            if waiting.count < Self.waitingLimit { byLanguage[language] = .asking(waiting + [iq]) }
            return .wait
        case nil:
            byLanguage[language] = .asking([iq])
            return .ask(language: language)
        }
    }

    /// The replies to the waiting requests.
    ///
    /// - Parameter answer: `nil` if the server could not be asked; it is asked again for the next request.
    mutating func found(_ answer: Answer?, in language: String) -> [IQ] {
        guard case .asking(let waiting) = byLanguage[language] else { return [] }
        byLanguage[language] = answer.map { .known($0) }
        return waiting.map { (answer ?? Answer()).reply(to: $0) }
    }
}

extension AbsentAddressReplies.Answer {
    func reply(to request: IQ) -> IQ {
        var reply = IQ(type: .error, to: request.from, id: request.id)
        reply.from = request.to
        reply.language = language
        if repeatsRequest, let payload = request.payload {
            var writer = XMLWriter()
            payload.encode(to: &writer)
            if writer.byteCount <= AbsentAddressReplies.repetitionLimit { reply.payloads.append(payload) }
        }
        reply.payloads.append(error)
        return reply
    }
}

/// A ping (XEP-0199), sent to an address without a client.
struct AbsentAddressProbe: IQRequest, EmptyPayload {
    typealias Response = EmptyResponse
    static let name = XMLName("ping", "urn:xmpp:ping")

    init() {}
}
