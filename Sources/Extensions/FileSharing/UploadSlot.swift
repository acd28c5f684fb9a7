public import XMLStreaming
public import XMPPStanzas

/// Where to put a file and where others will find it (XEP-0363 HTTP File Upload §5).
///
/// ```
/// S: <slot xmlns='urn:xmpp:http:upload:0'>
///      <put url='https://upload.montague.tld/4a77/cool.jpg'><header name='Authorization'>Basic …</header></put>
///      <get url='https://download.montague.tld/4a77/cool.jpg'/></slot>
/// ```
public struct UploadSlot: XMLPayload, IQResponse, Equatable {
    public struct Header: Sendable, Equatable {
        public var name: String
        public var value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    public static let name = XMLName("slot", UploadSlotRequest.name.namespace)

    /// The only header names that may be passed on to the web server (§5).
    public static let allowedHeaderNames: Set<String> = ["authorization", "cookie", "expires"]

    public var putURL: String
    public var putHeaders: [Header]
    public var getURL: String

    public init(putURL: String, putHeaders: [Header] = [], getURL: String) {
        self.putURL = putURL
        self.putHeaders = putHeaders
        self.getURL = getURL
    }

    /// Headers with other names are dropped and line breaks cut out of the values, so that a service cannot smuggle
    /// headers into the request (§5, §11).
    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let putName = XMLName("put", Self.name.namespace)
        let getName = XMLName("get", Self.name.namespace)
        guard let put = element.firstChild(putName) else {
            throw XMLDecodingError(Self.name, .missingElement(putName))
        }
        guard let get = element.firstChild(getName) else {
            throw XMLDecodingError(Self.name, .missingElement(getName))
        }
        putURL = try put.required("url")
        getURL = try get.required("url")
        putHeaders = []
        for child in put.children where child.isNamed(Self.headerName) {
            let name = try child.required("name").filter { !$0.isNewline }
            guard Self.allowedHeaderNames.contains(name.lowercased()) else { continue }
            putHeaders.append(Header(name: name, value: child.text.filter { !$0.isNewline }))
        }
    }

    public func encode(to writer: inout XMLWriter) {
        let namespace = Self.name.namespace
        writer.start(Self.name)
        writer.start(XMLName("put", namespace))
        writer.attribute("url", putURL)
        for header in putHeaders {
            writer.start(Self.headerName)
            writer.attribute("name", header.name)
            writer.text(header.value)
            writer.end()
        }
        writer.end()
        writer.start(XMLName("get", namespace))
        writer.attribute("url", getURL)
        writer.end()
        writer.end()
    }

    private static let headerName = XMLName("header", name.namespace)
}
