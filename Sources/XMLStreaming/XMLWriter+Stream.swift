extension XMLWriter {
    /// The opening of a stream: XML declaration and stream header (RFC 6120 §4.7).
    ///
    /// ```
    /// C: <?xml version='1.0'?><stream:stream to='im.example.com' version='1.0' xml:lang='en'
    ///    xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>
    /// ```
    public static func streamHeader(
        namespace: String = "jabber:client", to: String? = nil, from: String? = nil, id: String? = nil,
        language: String? = nil, version: String? = "1.0"
    ) -> [UInt8] {
        var bytes = Array("<?xml version='1.0'?><stream:stream".utf8)
        func attribute(_ name: String, _ value: String?) {
            guard let value else { return }
            bytes.append(contentsOf: " \(name)='".utf8)
            XMLEscaping.append(value.utf8.span.bytes, to: &bytes, isAttribute: true)
            bytes.append(UInt8(ascii: "'"))
        }
        attribute("from", from)
        attribute("to", to)
        attribute("id", id)
        attribute("version", version)
        attribute("xml:lang", language)
        attribute("xmlns", namespace)
        attribute("xmlns:stream", XMLNamespace.streams)
        bytes.append(UInt8(ascii: ">"))
        return bytes
    }

    /// The closing tag of a stream (RFC 6120 §4.4).
    public static let streamFooter = Array("</stream:stream>".utf8)
}
