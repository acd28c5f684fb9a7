public import XMLStreaming
public import XMPPStanzas

/// What the sender of a message says about a link in it, for a preview without a request of the receiver (XEP-0511 Link
/// Metadata).
///
/// ```
/// <rdf:Description xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:og='https://ogp.me/ns#'
///    rdf:about='https://the.link.example.com/what-was-linked-to'><og:title>The Best Webpage</og:title></rdf:Description>
/// ```
///
/// The sender can claim anything, so show the address of the link beside it. Request pictures only when the user asks
/// for them: the request tells their server who reads the message (§6, §7).
public struct LinkMetadata: MessagePayload, Hashable {
    public static let name = XMLName("Description", resources)

    /// The address that the metadata is about.
    public var about: String
    public var title: String?
    public var description: String?
    /// The canonical address of the page.
    public var url: String?
    /// Addresses of pictures of the page: `https:`, `cid:`, `data:` and others.
    public var images: [String]
    /// The text for the picture.
    public var imageText: String?
    public var video: String?
    /// The kind of page, such as `website`.
    public var type: String?
    public var siteName: String?
    /// The language of the texts.
    public var language: String?

    public init(about: String, title: String? = nil, description: String? = nil, images: [String] = []) {
        self.about = about
        self.title = title
        self.description = description
        self.images = images
    }

    /// The maximum number of links of a message whose metadata is read.
    public static let linkLimit = 8
    /// The maximum number of pictures of a link.
    static let imageLimit = 4
    /// The maximum length of an address, in bytes; a longer one is left out. A picture inside of an address is small.
    static let addressLimit = 64 << 10
    /// The maximum number of characters of a text that are read: several times what a preview shows.
    static let textLimit = 1024

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        guard let about = element.attribute(Self.aboutName) else {
            throw XMLDecodingError(Self.name, .missingAttribute("about"))
        }
        guard !about.isEmpty, about.utf8.count <= Self.addressLimit else {
            throw XMLDecodingError(Self.name, .invalid("the address is empty or too long"))
        }
        self.init(about: about)
        language = element.language
        for child in element.children {
            let text = child.text
            guard !text.isEmpty else { continue }
            let shown = String(text.prefix(Self.textLimit))
            let address = text.utf8.count <= Self.addressLimit ? text : nil
            switch (child.namespace, child.localName) {
            case (Self.graph, "title") where title == nil: title = shown
            case (Self.graph, "description") where description == nil: description = shown
            case (Self.graph, "url") where url == nil: url = address
            case (Self.graph, "image") where images.count < Self.imageLimit: if let address { images.append(address) }
            case (Self.image, "alt") where imageText == nil: imageText = shown
            case (Self.graph, "video") where video == nil: video = address
            case (Self.graph, "type") where type == nil: type = shown
            case (Self.graph, "site_name") where siteName == nil: siteName = shown
            default: break
            }
        }
    }

    public func encode(to writer: inout XMLWriter) {
        func write(_ local: String, _ text: String?, _ namespace: String = Self.graph) {
            if let text { writer.element(XMLName(local, namespace), text: text) }
        }
        writer.start(Self.name)
        writer.attribute(Self.aboutName, about)
        writer.attribute(Self.languageName, language)
        write("title", title)
        write("description", description)
        write("url", url)
        for image in images { write("image", image) }
        write("alt", imageText, Self.image)
        write("video", video)
        write("type", type)
        write("site_name", siteName)
        writer.end()
    }

    private static let resources = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    private static let graph = "https://ogp.me/ns#"
    private static let image = "https://ogp.me/ns#image:"
    private static let aboutName = XMLName("about", resources)
    private static let languageName = XMLName("lang", "http://www.w3.org/XML/1998/namespace")
}

extension Message {
    /// The metadata of the links of the message. Invalid ones are skipped.
    public var linkMetadata: [LinkMetadata] {
        payloads.lazy.filter { $0.isNamed(LinkMetadata.name) }.prefix(LinkMetadata.linkLimit).compactMap {
            try? LinkMetadata(from: $0)
        }
    }
}
