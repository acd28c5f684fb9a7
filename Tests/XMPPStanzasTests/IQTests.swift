import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

func iq(_ text: String) throws -> IQ { try IQ(from: element(text)) }

struct Ping: IQRequest, Hashable {
    typealias Response = EmptyResponse
    static let name = XMLName("ping", "urn:xmpp:ping")
    init() {}
    init(from element: XMLElement) throws(XMLDecodingError) {}
    func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.end()
    }
}

struct Store: IQRequest, IQResponse, Hashable {
    typealias Response = Store
    static let name = XMLName("store", "urn:example:store")
    static var iqType: IQ.Kind { .set }
    var text: String
    init(text: String) { self.text = text }
    init(from element: XMLElement) throws(XMLDecodingError) { text = element.text }
    func encode(to writer: inout XMLWriter) { writer.element(Self.name, text: text) }
}

@Suite("IQ")
struct IQTests {
    @Test(
        "S0-16: get, set, result and error, matched by id",
        arguments: [
            ("get", true, "<query xmlns='jabber:iq:roster'/>"), ("set", true, "<query xmlns='jabber:iq:roster'/>"),
            ("result", false, "<query xmlns='jabber:iq:roster'/>"), ("result", false, ""),
            (
                "error", false,
                "<error type='cancel'><service-unavailable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>"
            ),
        ])
    func types(type: String, requires: Bool, content: String) throws {
        let iq = try iq("<iq id='1' type='\(type)'>\(content)</iq>")
        #expect(iq.type.rawValue == type)
        #expect(iq.requiresResponse == requires)
        #expect(iq.id == "1")
        #expect(iq.isGet == (type == "get") && iq.isSet == (type == "set"))
        #expect(iq.isResult == (type == "result") && iq.isError == (type == "error"))
        #expect(iq.error?.condition == (type == "error" ? .serviceUnavailable : nil))
        #expect(iq.payload?.name.local == (content.contains("query") ? "query" : nil))
    }

    @Test(
        "RFC 6120 §8.2.3: a violation of the rules is an error",
        arguments: [
            "<iq id='1'><q xmlns='u'/></iq>", "<iq type='get'><q xmlns='u'/></iq>",
            "<iq id='1' type='ask'><q xmlns='u'/></iq>", "<iq id='1' type='get'/>", "<iq id='1' type='set'>text</iq>",
            "<iq id='1' type='get'><q xmlns='u'/><r xmlns='u'/></iq>", "<iq id='1' type='result' from='@'/>",
        ])
    func broken(text: String) throws {
        let element = try element(text)
        #expect(throws: XMLDecodingError.self) { try IQ(from: element) }
    }

    @Test("an invalid request is rejected, a response never")
    func rejection() throws {
        let twice = try element(
            "<iq id='1' type='get' from='a@x.org/1' to='b@y.org/2'><q xmlns='u'/><r xmlns='u'/></iq>")
        let reply = try #require(IQ.rejection(of: twice))
        #expect(try reply.to == JID("a@x.org/1") && reply.from == JID("b@y.org/2"))
        #expect(reply.id == "1" && reply.error?.condition == .badRequest && reply.payload == nil)
        let receiver = try element("<iq id='1' type='get' from='a@x.org/1' to='@'><q xmlns='u'/></iq>")
        #expect(IQ.rejection(of: receiver)?.error?.condition == .jidMalformed)
        for silent in [
            "<iq id='1' type='result' from='a@x.org'/>", "<iq id='1' type='error' from='a@x.org'/>",
            "<iq type='get' from='a@x.org'/>", "<iq id='1' type='get' from='@'/>", "<message id='1' from='a@x.org'/>",
        ] {
            #expect(IQ.rejection(of: try element(silent)) == nil, "\(silent)")
        }
    }

    @Test("Martin #9: a result and an error copy id and addresses, not content; responses are not replied to")
    func replies() throws {
        let request = try iq("<iq id='8' type='set' from='a@x.org/1' to='b@y.org'><q xmlns='u'>secret</q></iq>")
        let result = IQ.result(for: request, payload: Store(text: "ok"))
        #expect(result.type == .result && result.id == "8")
        #expect(try result.to == JID("a@x.org/1") && result.from == JID("b@y.org"))
        #expect(try result.payload(Store.self) == Store(text: "ok"))
        let error = try #require(request.errorReply(StanzaError(.forbidden)))
        #expect(error.error?.condition == .forbidden && error.id == "8")
        #expect(!XMLElement(error).description.contains("secret"))
        #expect(result.errorReply(StanzaError(.forbidden)) == nil && error.errorReply(StanzaError(.forbidden)) == nil)
    }

    @Test("S0-66: an IQ is created from type, receiver, id and child; a request knows its type")
    func building() throws {
        let ping = IQ(Ping(), to: try JID("example.org"), id: "p1")
        #expect(
            XMLElement(ping)
                == (try element("<iq type='get' to='example.org' id='p1'><ping xmlns='urn:xmpp:ping'/></iq>")))
        #expect(IQ(Store(text: "x")).type == .set)
        #expect(IQ(type: .result, id: "1").payloads.isEmpty)
        #expect(try IQ(from: XMLElement(ping)) == ping)
    }

    @Test("a response is read from the child of the result; the wrong child is an error")
    func responses() throws {
        let result = try iq("<iq id='1' type='result'><store xmlns='urn:example:store'>x</store></iq>")
        #expect(try Store.Response(payload: result.payload) == Store(text: "x"))
        #expect(throws: XMLDecodingError.self) { try Store.Response(payload: nil) }
        let other = try XMLElement(parsing: "<other/>")
        #expect(throws: XMLDecodingError.self) { try Store.Response(payload: other) }
        #expect(throws: Never.self) { try Ping.Response(payload: other) }
        #expect(try ElementResponse(payload: other).payload == other)
    }

    @Test("the payload of an error is the copy of the request, not the error element")
    func errorWithCopy() throws {
        let iq = try iq(
            "<iq id='1' type='error'><q xmlns='u'/><error type='modify'><bad-request xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>"
        )
        #expect(iq.payload?.name.local == "q")
        #expect(iq.error == StanzaError(.badRequest))
    }
}
