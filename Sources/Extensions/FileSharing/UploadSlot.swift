public import XMLStreaming
public import XMPPStanzas

/// The URLs for uploading and downloading one file (XEP-0363 HTTP File Upload §5).
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

    /// The only header names that may be sent to the web server (§5).
    public static let allowedHeaderNames: Set<String> = ["authorization", "cookie", "expires"]

    public var putURL: String
    public var putHeaders: [Header]
    public var getURL: String

    public init(putURL: String, putHeaders: [Header] = [], getURL: String) {
        self.putURL = putURL
        self.putHeaders = putHeaders
        self.getURL = getURL
    }

    /// Other headers are removed, and line breaks are removed from the values, so that a service cannot inject headers
    /// into the request (§5, §11).
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

/// Requests an upload slot (XEP-0363 HTTP File Upload §5).
///
/// ```
/// C: <iq type='get' to='upload.montague.tld' id='step_03'>
///      <request xmlns='urn:xmpp:http:upload:0' filename='très cool.jpg' size='23456' content-type='image/jpeg'/></iq>
/// ```
public struct UploadSlotRequest: IQRequest, Equatable {
    public typealias Response = UploadSlot
    public static let name = XMLName("request", "urn:xmpp:http:upload:0")
    public static let iqType = IQ.Kind.get

    public var fileName: String
    /// Bytes; the upload must have exactly this size.
    public var size: UInt64
    public var mediaType: String?

    public init(fileName: String, size: UInt64, mediaType: String?) {
        self.fileName = fileName
        self.size = size
        self.mediaType = mediaType
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        fileName = try element.required("filename")
        let text = try element.required("size")
        guard let size = UInt64(text) else {
            throw XMLDecodingError(Self.name, .invalidAttribute("size", value: text))
        }
        self.size = size
        mediaType = element["content-type"]
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("filename", fileName)
        writer.attribute("size", String(size))
        writer.attribute("content-type", mediaType)
        writer.end()
    }
}
