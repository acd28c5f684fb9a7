public import XMLStreaming
public import XMPPStanzas

/// Asks an upload service for a place to put a file (XEP-0363 HTTP File Upload §5).
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
    /// Bytes; what is uploaded must have exactly this size.
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
