public import XMLStreaming

/// A picture or sound that the user needs to answer a question of a form, such as a CAPTCHA (XEP-0221 Data Forms Media
/// Element §2).
///
/// ```
/// <field var='ocr' label='Fill in what you see'>
///   <media xmlns='urn:xmpp:media-element' height='80' width='290'>
///     <uri type='image/jpeg'>cid:sha1+f24030b8d91d233bac14777be5ab531ca3b9f102@bob.xmpp.org</uri>
///     <uri type='image/jpeg'>http://www.victim.com/challenges/ocr.jpeg?F3A6292C</uri></media></field>
/// ```
public struct DataFormMedia: XMLPayload, Hashable {
    /// A location of the medium.
    public struct Source: Sendable, Hashable {
        /// `http:`, `https:` or `cid:`, which references bytes in the same stanza (XEP-0231).
        public var uri: String
        public var mediaType: String

        public init(uri: String, mediaType: String) {
            self.uri = uri
            self.mediaType = mediaType
        }
    }

    public static let name = XMLName("media", "urn:xmpp:media-element")

    public var width: Int?
    public var height: Int?
    public var sources: [Source]

    public init(sources: [Source], width: Int? = nil, height: Int? = nil) {
        self.sources = sources
        self.width = width
        self.height = height
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        width = element["width"].flatMap { Int($0) }
        height = element["height"].flatMap { Int($0) }
        sources = element.children(XMLName("uri", Self.name.namespace)).compactMap { child in
            child["type"].map { Source(uri: child.text, mediaType: $0) }
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("height", height.map(String.init))
        writer.attribute("width", width.map(String.init))
        for source in sources {
            writer.start(XMLName("uri", Self.name.namespace))
            writer.attribute("type", source.mediaType)
            writer.text(source.uri)
            writer.end()
        }
        writer.end()
    }
}

extension DataFormField {
    /// The medium to present with the question.
    public var media: DataFormMedia? {
        extensions.first { $0.isNamed(DataFormMedia.name) }.flatMap { try? DataFormMedia(from: $0) }
    }
}
