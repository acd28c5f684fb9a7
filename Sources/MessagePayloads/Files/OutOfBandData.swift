public import XMLStreaming
public import XMPPStanzas

/// A web address beside or in place of a message's text (XEP-0066 Out of Band Data §3).
///
/// ```
/// S: <x xmlns='jabber:x:oob'><url>https://download.example/4a77/summit.jpg</url><desc>Summit</desc></x>
/// ```
public struct OutOfBandData: MessagePayload, Equatable {
    public static let name = XMLName("x", "jabber:x:oob")

    public var url: String
    public var description: String?

    public init(url: String, description: String? = nil) {
        self.url = url
        self.description = description
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let urlName = XMLName("url", Self.name.namespace)
        guard let url = element.firstChild(urlName)?.text, !url.isEmpty else {
            throw XMLDecodingError(Self.name, .missingElement(urlName))
        }
        self.init(url: url, description: element.firstChild(XMLName("desc", Self.name.namespace))?.text)
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.element(XMLName("url", Self.name.namespace), text: url)
        if let description { writer.element(XMLName("desc", Self.name.namespace), text: description) }
        writer.end()
    }
}
