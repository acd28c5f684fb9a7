public import XMLStreaming
public import XMPPStanzas

/// The hash of the picture in the sender's vCard, in presence (XEP-0153 vCard-Based Avatars §4).
///
/// ```
/// S: <presence from='juliet@capulet.com/balcony'><x xmlns='vcard-temp:x:update'>
///      <photo>01b87fcd030b72895ff8e88db57ec525450f000d</photo></x></presence>
/// ```
public struct AvatarUpdate: PresencePayload, Hashable {
    /// The content of the element.
    public enum Photo: Sendable, Hashable {
        /// The sender does not know its picture yet.
        case unknown
        case none
        /// SHA-1 in hexadecimal.
        case hash(String)
    }

    public static let name = XMLName("x", "vcard-temp:x:update")

    public var photo: Photo

    public init(_ photo: Photo) {
        self.photo = photo
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        guard let text = element.firstChild(Self.photoName)?.text else {
            photo = .unknown
            return
        }
        guard !text.isEmpty else {
            photo = .none
            return
        }
        guard AvatarMetadata.isHash(text) else { throw XMLDecodingError(Self.photoName, .invalidText) }
        photo = .hash(text.lowercased())
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        switch photo {
        case .unknown: break
        case .none: writer.element(Self.photoName, text: "")
        case .hash(let hash): writer.element(Self.photoName, text: hash)
        }
        writer.end()
    }

    private static let photoName = XMLName("photo", name.namespace)
}
