import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

/// A payload like those of the extensions: the request of XEP-0184 with one more attribute.
struct Marker: MessagePayload, PresencePayload, IQPayload, Hashable {
    static let name = XMLName("marker", "urn:example:marker")
    var value: Int

    init(value: Int) { self.value = value }

    init(from element: XMLElement) throws(XMLDecodingError) {
        guard let text = element["value"] else {
            throw XMLDecodingError(Self.name, .missingAttribute("value"))
        }
        guard let value = Int(text) else {
            throw XMLDecodingError(Self.name, .invalidAttribute("value", value: text))
        }
        self.value = value
    }

    func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("value", String(value))
        writer.end()
    }
}

@Suite("Payloads")
struct PayloadsTests {
    @Test("received payloads are followed by added ones, in order")
    func order() throws {
        var message = try message("<message><a xmlns='u'/><marker xmlns='urn:example:marker' value='1'/></message>")
        message.append(Marker(value: 2))
        message.payloads.append(try XMLElement(parsing: "<b xmlns='u'/>"))
        #expect(message.payloads.map(\.name.local) == ["a", "marker", "marker", "b"])
        #expect(try message.payload(Marker.self) == Marker(value: 1))
        #expect(try message.payloads.decodeAll(Marker.self) == [Marker(value: 1), Marker(value: 2)])
        let read = try Message(from: XMLElement(message))
        #expect(read == message)
        #expect(read.hashValue == message.hashValue)
    }

    @Test("S1-1: an added payload is found by type and by name before it is ever written")
    func added() throws {
        let message = Message(body: "x").appending(Marker(value: 5))
        #expect(try message.payload(Marker.self) == Marker(value: 5))
        #expect(message.payloads.first(Marker.name)?["value"] == "5")
        #expect(message.payloads.contains(Marker.name))
        #expect(!message.payloads.contains(XMLName("marker", "other")))
    }

    @Test("a missing payload is nil, an invalid one is an error")
    func unreadable() throws {
        #expect(try message("<message/>").payload(Marker.self) == nil)
        let bad = try message("<message><marker xmlns='urn:example:marker' value='many'/></message>")
        #expect(throws: XMLDecodingError.self) { try bad.payload(Marker.self) }
    }

    @Test("removing removes received and added payloads, and changes only this copy")
    func removing() throws {
        let original = try message("<message><marker xmlns='urn:example:marker' value='1'/><a xmlns='u'/></message>")
        var copy = original
        copy.append(Marker(value: 2))
        copy.payloads.removeAll(named: Marker.name)
        #expect(copy.payloads.map(\.name.local) == ["a"])
        #expect(original.payloads.map(\.name.local) == ["marker", "a"])
        copy.payloads.removeAll(named: XMLName("a", "u"))
        #expect(copy.payloads.isEmpty)
        #expect(Payloads().isEmpty && !original.payloads.isEmpty)
    }

    @Test("two stanzas are equal if their content is, however they were created")
    func equality() throws {
        let built = Message(to: try JID("a@b.org"), type: .chat, id: "1", body: "x").appending(Marker(value: 3))
        let read = try message(
            "<message id='1' type=\"chat\" to='a@b.org'><body>x</body><marker value='3' xmlns='urn:example:marker'/></message>"
        )
        #expect(built == read)
        #expect(Set([built, read]).count == 1)
    }
}
