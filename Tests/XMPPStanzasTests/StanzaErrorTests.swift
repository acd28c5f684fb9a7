import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@Suite("Stanza errors")
struct StanzaErrorTests {
    @Test(
        "RFC 6120 §8.3.3: every condition has its element, a type, a message and survives the wire",
        arguments: StanzaError.Condition.allCases)
    func conditions(condition: StanzaError.Condition) throws {
        let error = StanzaError(condition)
        let element = XMLElement(error)
        #expect(element.firstChild?.name == XMLName(condition.rawValue, "urn:ietf:params:xml:ns:xmpp-stanzas"))
        #expect(element["type"] == condition.recommendedType.rawValue)
        #expect(try StanzaError(from: element) == error)
        #expect(condition.message.hasSuffix(".") && condition.message.count > 20)
        #expect(error.description == condition.message)
    }

    @Test("there are twenty-two conditions, each with its own message")
    func count() {
        #expect(StanzaError.Condition.allCases.count == 22)
        #expect(Set(StanzaError.Condition.allCases.map(\.message)).count == 22)
    }

    @Test(
        "type, text by language, by, URI and application condition survive the wire",
        arguments: StanzaError.Kind.allCases)
    func whole(kind: StanzaError.Kind) throws {
        let error = StanzaError(
            .redirect, type: kind, text: ["en": "Moved.", "cs": "Přesunuto."], by: try JID("example.net"),
            newAddress: "xmpp:characters@conference.example.org",
            applicationCondition: try XMLElement(parsing: "<too-many-parameters xmlns='http://example.org/ns'/>"))
        #expect(try StanzaError(from: XMLElement(error)) == error)
        #expect(error.description.contains("Moved."))
    }

    @Test(
        "what is missing or unknown becomes undefined-condition, never a crash",
        arguments: [
            ("<error xmlns='jabber:client'/>", StanzaError.Condition.undefinedCondition, StanzaError.Kind.cancel),
            (
                "<error xmlns='jabber:client' type='later'><conflict xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>",
                .conflict, .cancel
            ),
            (
                "<error xmlns='jabber:client' type='wait'><payment-required xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>",
                .undefinedCondition, .wait
            ),
            (
                "<error xmlns='jabber:client' code='404' by='@'><item-not-found xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>",
                .itemNotFound, .cancel
            ),
        ])
    func lenient(text: String, condition: StanzaError.Condition, kind: StanzaError.Kind) throws {
        let error = try StanzaError(from: XMLElement(parsing: text))
        #expect(error.condition == condition)
        #expect(error.type == kind)
    }
}

@Suite("Stream errors")
struct StreamErrorTests {
    @Test(
        "RFC 6120 §4.9.3: every condition has its element, a message and survives the wire",
        arguments: StreamError.Condition.allCases)
    func conditions(condition: StreamError.Condition) throws {
        let error = StreamError(condition, text: ["en": "Why."])
        let element = XMLElement(error)
        #expect(element.name == XMLName("error", "http://etherx.jabber.org/streams"))
        #expect(try StreamError(from: element) == error)
        #expect(error.description == "\(condition.message) (Why.)")
    }

    @Test("there are twenty-five conditions, each with its own message")
    func count() {
        #expect(StreamError.Condition.allCases.count == 25)
        #expect(Set(StreamError.Condition.allCases.map(\.message)).count == 25)
    }

    @Test(
        "see-other-host names a place to connect to",
        arguments: [
            ("example.net", StreamError.Host(name: "example.net")),
            ("example.net:5223", StreamError.Host(name: "example.net", port: 5223)),
            ("[2001:41D0:1:A49b::1]:9222", StreamError.Host(name: "2001:41D0:1:A49b::1", port: 9222)),
            ("[2001:db8::1]", StreamError.Host(name: "2001:db8::1")),
            ("2001:db8::1", StreamError.Host(name: "2001:db8::1")),
            (" 192.0.2.1:80 ", StreamError.Host(name: "192.0.2.1", port: 80)),
            ("", nil), (":5222", nil), ("a:b", nil), ("a:0", nil), ("a:65536", nil), ("[::1", nil), ("[::1]x", nil),
            ("a b", nil),
        ] as [(String, StreamError.Host?)])
    func otherHost(text: String, host: StreamError.Host?) throws {
        let element = try XMLElement(
            parsing: """
                <stream:error xmlns:stream='http://etherx.jabber.org/streams'>\
                <see-other-host xmlns='urn:ietf:params:xml:ns:xmpp-streams'>\(text)</see-other-host></stream:error>
                """)
        let error = try StreamError(from: element)
        #expect(error.condition == .seeOtherHost)
        #expect(error.otherHost == host)
        #expect(try StreamError(from: XMLElement(error)) == error)
    }

    @Test("an unknown or missing condition is undefined; an application condition is kept")
    func lenient() throws {
        let element = try XMLElement(
            parsing: """
                <e:error xmlns:e='http://etherx.jabber.org/streams'><brand-new xmlns='urn:ietf:params:xml:ns:xmpp-streams'/>\
                <escape-your-data xmlns='http://example.org/ns'/></e:error>
                """)
        let error = try StreamError(from: element)
        #expect(error.condition == .undefinedCondition)
        #expect(error.applicationCondition?.name.local == "escape-your-data")
    }
}
