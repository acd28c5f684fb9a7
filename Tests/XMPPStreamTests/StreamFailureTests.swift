import SASLMechanisms
import Testing
import XMPPStanzas
import XMPPStream

@Suite("Failures in words")
struct StreamFailureTests {
    static func make(_ code: StreamFailure.Code) -> StreamFailure { StreamFailure(code) }

    @Test("Every code has a sentence that says what to do, and a category", arguments: StreamFailure.Code.allCases)
    func sentences(code: StreamFailure.Code) {
        let failure = Self.make(code)
        #expect(failure.explanation.hasSuffix("."))
        #expect(failure.explanation.count > 30)
        #expect(failure.description == failure.explanation)
        #expect(StreamFailure.Category.allCases.contains(failure.category))
    }

    @Test("The server's own words follow in brackets")
    func text() {
        let failure = StreamFailure(.accountDisabled, text: "Call the nurse")
        #expect(failure.description.hasSuffix("(Call the nurse)"))
    }

    @Test("Every stream error has a category and a sentence", arguments: StreamError.Condition.allCases)
    func streamErrors(condition: StreamError.Condition) {
        let failure = StreamFailure(.streamError, streamError: StreamError(condition))
        #expect(failure.explanation.contains(condition.message))
        if condition == .conflict { #expect(failure.category == .conflict) }
        if condition == .systemShutdown { #expect(failure.isTemporary) }
    }

    static let refusals: [(String, StreamFailure.Code)] = [
        ("not-authorized", .credentialsRejected), ("account-disabled", .accountDisabled),
        ("credentials-expired", .credentialsExpired), ("temporary-auth-failure", .authenticationUnavailable),
        ("invalid-mechanism", .authenticationFailed), ("mechanism-too-weak", .authenticationFailed),
        ("malformed-request", .authenticationFailed), ("something-new", .authenticationFailed),
    ]

    @Test("S0-35: a SASL failure keeps the server's condition and text", arguments: refusals)
    func saslFailures(refusal: (String, StreamFailure.Code)) {
        var client = ScriptedClient(at: .authenticating)
        let failure = client.receive(
            "<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><\(refusal.0)/><text xml:lang='en'>No.</text></failure>"
        ).ends.first?.failure
        #expect(failure?.code == refusal.1)
        #expect(failure?.saslCondition?.rawValue == (refusal.0 == "something-new" ? nil : refusal.0))
        #expect(failure?.text == "No.")
    }
}
