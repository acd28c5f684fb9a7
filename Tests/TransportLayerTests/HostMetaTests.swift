import Testing

@testable import TransportLayer

/// The two forms of a host-meta file.
struct HostMetaTests {
    private static let xbosh = "urn:xmpp:alt-connections:xbosh"

    @Test("The examples of XEP-0156 §2.3 mean the same in both forms")
    func examples() throws {
        let xml = """
            <?xml version='1.0' encoding='utf-8'?>
            <XRD xmlns='http://docs.oasis-open.org/ns/xri/xrd-1.0'>
              <Link rel="urn:xmpp:alt-connections:xbosh"
                    href="https://web.example.com:5280/bosh" />
              <Link rel="urn:xmpp:alt-connections:websocket"
                    href="wss://web.example.com:443/ws" />
            </XRD>
            """
        let json = """
            {"links": [
                {"rel": "urn:xmpp:alt-connections:xbosh", "href": "https://web.example.com:5280/bosh"},
                {"rel": "urn:xmpp:alt-connections:websocket", "href": "wss://web.example.com:443/ws"}
            ]}
            """
        let expected = HostMeta(links: [
            HostMeta.Link(relation: Self.xbosh, url: "https://web.example.com:5280/bosh"),
            HostMeta.Link(relation: HostMeta.webSocketRelation, url: "wss://web.example.com:443/ws"),
        ])
        #expect(try HostMeta(xml: Array(xml.utf8)) == expected)
        #expect(try HostMeta(json: Array(json.utf8)) == expected)
        #expect(expected.webSocketURLs.map(\.description) == ["wss://web.example.com:443/ws"])
    }

    @Test("Everything else in the file is ignored, including comments")
    func tolerance() throws {
        let xml = """
            \u{FEFF}<?xml version="1.0"?>
            <!-- who <reads> this -- is told -->
            <XRD xmlns="http://docs.oasis-open.org/ns/xri/xrd-1.0" xmlns:x="urn:x">
              <Subject>example.com</Subject><x:Link rel="a" href="b"/><Link rel="lrdd" template="https://e/{uri}"/>
              <!-- <Link rel="urn:xmpp:alt-connections:websocket" href="wss://commented.test/"/> -->
              <Link rel="urn:xmpp:alt-connections:websocket" type="x" href="wss://a.test/ws"><Title>t</Title></Link>
            </XRD>
            """
        let file = try HostMeta(xml: Array(xml.utf8))
        #expect(file.links == [HostMeta.Link(relation: HostMeta.webSocketRelation, url: "wss://a.test/ws")])
        let json = """
            {"subject": "x", "properties": {"a": null}, "links": [1, "x", null, [], {"rel": 5, "href": "x"}, {"rel": "y"},
             {"rel": "urn:xmpp:alt-connections:websocket", "href": "wss://a.test/ws", "titles": {"en": "t"}}]}
            """
        #expect(try HostMeta(json: Array(json.utf8)) == file)
        #expect(try HostMeta(json: Array("{}".utf8)).links.isEmpty)
    }

    @Test("Only encrypted URLs are used, each once")
    func onlySecure() {
        let urls = [
            "ws://a.test/", "https://a.test/", "wss://a.test/ws", "javascript:alert(1)", "", "wss://a.test/ws",
            "wss://user@a.test/", "wss://b.test/ws",
        ]
        let file = HostMeta(links: urls.map { HostMeta.Link(relation: HostMeta.webSocketRelation, url: $0) })
        #expect(file.webSocketURLs.map(\.description) == ["wss://a.test/ws", "wss://b.test/ws"])
    }

    @Test(
        "An invalid host-meta file is a specific error",
        arguments: [
            "", "<html><body>404</body></html>", "<XRD/>", "<!DOCTYPE x [<!ENTITY a 'b'>]><XRD/>", "<!-- open", "{",
            "[]",
        ])
    func broken(_ text: String) {
        #expect(throws: TransportError.self) { _ = try HostMeta(xml: Array(text.utf8)) }
        #expect(throws: TransportError.self) { _ = try HostMeta(json: Array(text.utf8)) }
    }
}
