/// A stanza that a server forwards and that a client may not accept.
package struct Poison: Sendable, CustomStringConvertible {
    package let id: String
    package let name: String
    /// Its content, and further attributes of the stanza.
    package let content: String
    package var attributes = ""

    package var description: String { "\(id): \(name)" }

    package func message(from sender: String, to victim: String) -> String {
        "<message from='\(sender)' to='\(victim)' type='chat'\(attributes)><body>poison</body>\(content)</message>"
    }

    package func presence(from sender: String, to victim: String) -> String {
        "<presence from='\(sender)' to='\(victim)'\(attributes)>\(content)</presence>"
    }

    static func attributes(_ count: Int, prefix: String = "a") -> String {
        (0..<count).map { " \(prefix)\($0)='1'" }.joined()
    }

    private static func prefixed(_ count: Int) -> String {
        let all = (0..<count).map { " xmlns:p\($0)='urn:p\($0)' p\($0):a='1'" }.joined()
        return "<x xmlns='urn:x'\(all)/>"
    }

    private static func nested(_ depth: Int) -> String {
        "<x xmlns='urn:x'>" + String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth) + "</x>"
    }

    private static let expanding: String = {
        let namespace = "urn:" + String(repeating: "n", count: 2000)
        return "<x xmlns='urn:x' xmlns:p='\(namespace)'>" + String(repeating: "<p:a/>", count: 7800) + "</x>"
    }()

    package static let all: [Poison] = [
        Poison(id: "P1", name: "an element of the XML namespace", content: "<xml:a/>"),
        Poison(id: "P2", name: "130 attributes", content: "<x xmlns='urn:x'\(attributes(130))/>"),
        Poison(
            id: "P3", name: "a name of 1,030 bytes",
            content: "<\(String(repeating: "n", count: 1030)) xmlns='urn:x'/>"),
        Poison(
            id: "P3", name: "an attribute name of 1,030 bytes",
            content: "<x xmlns='urn:x' \(String(repeating: "n", count: 1030))='1'/>"),
        Poison(id: "P4", name: "142 elements inside each other", content: nested(140)),
        Poison(id: "P7", name: "a namespace of 2 KB, used 7,800 times", content: expanding),
        Poison(id: "P8", name: "xml:space with an unknown value", content: "<x xmlns='urn:x' xml:space='zzz'/>"),
        Poison(id: "P8", name: "70 prefixed attributes", content: prefixed(70)),
        Poison(
            id: "P8", name: "70 namespaces and 60 attributes",
            content: "<x xmlns='urn:x'\((0..<70).map { " xmlns:q\($0)='urn:q\($0)'" }.joined())\(attributes(60))/>"),
        Poison(id: "P14", name: "CDATA", content: "<x xmlns='urn:x'><![CDATA[<>&]]></x>"),
        Poison(id: "P14", name: "no namespace", content: "<x xmlns=''><y/></x>"),
        Poison(
            id: "P14", name: "a stanza inside",
            content: "<message xmlns='jabber:client' to='a@b'><body>b</body></message>"),
        Poison(
            id: "P14", name: "a stream error inside",
            content: "<error xmlns='http://etherx.jabber.org/streams'><conflict "
                + "xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></error>"),
        Poison(
            id: "P14", name: "noncharacters",
            content:
                "<x xmlns='urn:x'>\(String(decoding: [0xEF, 0xB7, 0x90, 0xF0, 0x9F, 0xBF, 0xBE], as: UTF8.self))</x>"),
        Poison(
            id: "P14", name: "a prefix of 1,000 bytes",
            content: "<\(String(repeating: "p", count: 1000)):x xmlns:\(String(repeating: "p", count: 1000))='urn:x'/>"),
        Poison(id: "P14", name: "the namespace of namespaces in a value", content: "<x xmlns='urn:x' a='xmlns:xml'/>"),
        Poison(
            id: "P14", name: "100 languages",
            content: String(repeating: "<subject xml:lang='x-a'>s</subject>", count: 100)),
    ]
}
