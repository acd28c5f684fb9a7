public import XMLStreaming

/// The metadata of an offered file (XEP-0446 File metadata element).
///
/// ```
/// C: <file xmlns='urn:xmpp:file:metadata:0'>
///      <media-type>image/jpeg</media-type><name>summit.jpg</name><size>3032449</size>
///      <width>4096</width><height>2160</height>
///      <hash xmlns='urn:xmpp:hashes:2' algo='sha-256'>…</hash></file>
/// ```
public struct FileMetadata: XMLPayload, Equatable {
    public static let name = XMLName("file", "urn:xmpp:file:metadata:0")

    public var mediaType: String?
    /// The name from the sender. It may contain path separators: pass it through `SafeFileName` of FileSharing before using it in
    /// a file system (§3).
    public var fileName: String?
    /// Size in bytes.
    public var size: UInt64?
    /// Width in pixels.
    public var width: Int?
    /// Height in pixels.
    public var height: Int?
    /// The duration of sound or video, in milliseconds.
    public var length: Int?
    /// The time of the last modification.
    public var date: Timestamp?
    public var description: String?
    public var hashes: [FileHash]
    /// Small pictures of the file.
    public var thumbnails: [Thumbnail] = []

    public init(
        mediaType: String? = nil, fileName: String? = nil, size: UInt64? = nil, width: Int? = nil, height: Int? = nil,
        length: Int? = nil, date: Timestamp? = nil, description: String? = nil, hashes: [FileHash] = []
    ) {
        self.mediaType = mediaType
        self.fileName = fileName
        self.size = size
        self.width = width
        self.height = height
        self.length = length
        self.date = date
        self.description = description
        self.hashes = hashes
    }

    /// Every child is optional, and an invalid one is ignored: a file with an invalid date is still a file.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        self.init()
        for child in element.children {
            if child.isNamed(FileHash.name) {
                if let hash = try? FileHash(from: child) { hashes.append(hash) }
                continue
            }
            if child.isNamed(Thumbnail.name) {
                if thumbnails.count < Thumbnail.limit, let picture = try? Thumbnail(from: child) {
                    thumbnails.append(picture)
                }
                continue
            }
            guard child.name.namespace == Self.name.namespace else { continue }
            let text = child.text
            switch child.name.local {
            case "media-type": mediaType = text
            case "name": fileName = text
            case "size": size = UInt64(text)
            case "width": width = Int(text).flatMap { $0 >= 0 ? $0 : nil }
            case "height": height = Int(text).flatMap { $0 >= 0 ? $0 : nil }
            case "length": length = Int(text).flatMap { $0 >= 0 ? $0 : nil }
            case "date": date = Timestamp(text)
            case "desc": description = description ?? text
            default: break
            }
        }
    }

    public func encode(to writer: inout XMLWriter) {
        func write(_ local: String, _ text: String?) {
            if let text { writer.element(XMLName(local, Self.name.namespace), text: text) }
        }
        writer.start(Self.name)
        write("media-type", mediaType)
        write("name", fileName)
        write("size", size.map(String.init))
        write("width", width.map(String.init))
        write("height", height.map(String.init))
        write("length", length.map(String.init))
        write("date", date?.description)
        write("desc", description)
        for hash in hashes { hash.encode(to: &writer) }
        for thumbnail in thumbnails { thumbnail.encode(to: &writer) }
        writer.end()
    }
}

/// The kind of a file, which determines how a conversation shows it.
///
/// The single list of kinds; stores save the number, so numbers never change.
public enum FileKind: Int, Sendable, Hashable, CaseIterable, Codable {
    case file = 0
    case picture = 1
    case voice = 2
    case video = 3

    /// What a kind means.
    private struct Meaning {
        let word: String
        /// The part of a media type before the slash.
        var mediaType: String?
        /// The extensions of such files.
        var extensions: [String] = []
        var inline: InlineMedia.Kind?
    }

    private var meaning: Meaning {
        switch self {
        case .file: Meaning(word: "file")
        case .picture:
            Meaning(
                word: "picture", mediaType: "image", extensions: ["png", "jpg", "jpeg", "gif", "webp"], inline: .picture
            )
        case .voice:
            Meaning(
                word: "voice", mediaType: "audio",
                extensions: ["ogg", "oga", "opus", "m4a", "aac", "amr", "mp3", "wav"], inline: .voice)
        case .video: Meaning(word: "video", mediaType: "video", extensions: ["mp4", "webm", "mov", "mkv"])
        }
    }

    /// The kind of a media type such as `image/png`; sound is a voice message here.
    public init(mediaType: String?) {
        let type = mediaType?.split(separator: "/").first?.lowercased()
        self = Self.allCases.first { type != nil && $0.meaning.mediaType == type } ?? .file
    }

    /// The kind suggested by the extension of a file name: only for display, until the content is downloaded.
    public init(fileName: String?) {
        let ending = fileName?.split(separator: ".").last?.lowercased() ?? ""
        self = Self.allCases.first { $0.meaning.extensions.contains(ending) } ?? .file
    }

    /// The kind of a medium inside a message.
    public init(_ inline: InlineMedia.Kind) { self = Self.allCases.first { $0.inline == inline } ?? .file }

    /// A name for a file that has none: `picture`, `voice`, `video` or `file`.
    public var word: String { meaning.word }

    /// The kind of the format inside a message (``InlineMedia``) for such files; `nil` if there is none.
    public var inline: InlineMedia.Kind? { meaning.inline }
}

/// The hash of a file's content (XEP-0300 Use of Cryptographic Hash Functions §3).
///
/// ```
/// C: <hash xmlns='urn:xmpp:hashes:2' algo='sha-256'>2XarmwTlNxDAMkvymloX3S5+VbylNrJt/l5QyPa+YoU=</hash>
/// ```
public struct FileHash: XMLPayload, Hashable {
    public static let name = XMLName("hash", "urn:xmpp:hashes:2")

    /// The registered name of the function, such as `sha-256`.
    public var algorithm: String
    public var value: [UInt8]

    public init(algorithm: String, value: [UInt8]) {
        self.algorithm = algorithm
        self.value = value
    }

    /// - Parameter digits: a SHA-256 in hexadecimal digits.
    public init?(sha256 digits: String) {
        var bytes: [UInt8] = []
        var rest = digits[...]
        while rest.count >= 2 {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        guard bytes.count == 32, rest.isEmpty else { return nil }
        self.init(algorithm: "sha-256", value: bytes)
    }

    /// The hash in lower-case hexadecimal digits, if it is a SHA-256.
    public var sha256: String? {
        guard algorithm == "sha-256" else { return nil }
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: value.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        algorithm = try element.required("algo").lowercased()
        guard let value = Base64.decode(ignoringWhitespace: element.text), !value.isEmpty else {
            throw XMLDecodingError(Self.name, .invalidText)
        }
        self.value = value
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("algo", algorithm)
        writer.text(Base64.encode(value))
        writer.end()
    }
}
