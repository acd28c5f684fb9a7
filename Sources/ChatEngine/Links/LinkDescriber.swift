internal import Foundation
public import MessageFeatures
internal import TransportLayer

/// Describes the page behind a link, for the sender of a message (XEP-0511).
///
/// It opens the page, so the page's server learns the address of this computer: a program asks its user first. Only
/// `https` is used, nothing that the page refers to is loaded, and the page's size and time are bounded.
public struct LinkDescriber: Sendable {
    private let http: HTTPClient

    /// More is not read: what describes a page stands at its beginning.
    static let pageLimit = 1 << 20

    public init() {
        var configuration = HTTPClient.Configuration()
        configuration.total = .seconds(15)
        configuration.connecting = .seconds(8)
        http = HTTPClient(configuration: configuration)
    }

    init(_ http: HTTPClient) { self.http = http }

    /// `nil` if the page cannot be read, or says nothing about itself.
    public func describe(_ link: String) async -> LinkDescription? {
        let headers = [HTTPHeader("Accept", "text/html")]
        guard let response = try? await http.download(link, headers: headers, limit: Self.pageLimit),
            response["Content-Type"]?.lowercased().hasPrefix("text/html") == true
        else { return nil }
        // Pages that are not in UTF-8 mostly are in a superset of ASCII.
        let text =
            String(validating: response.body, as: UTF8.self) ?? String(bytes: response.body, encoding: .isoLatin1) ?? ""
        return WebPage(text).description(of: link)
    }
}

/// What the head of an HTML page says about the page: its title, and the properties of Open Graph (https://ogp.me).
struct WebPage {
    private(set) var title: String?
    private(set) var properties: [String: String] = [:]

    /// In bytes; the head of a page is much shorter.
    private static let headLimit = 256 << 10
    private static let wanted: Set<String> = [
        "og:title", "og:description", "og:site_name", "description", "twitter:title",
    ]

    init(_ text: String) {
        let bytes = Array(text.utf8.prefix(Self.headLimit))
        var position = 0
        while let start = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
            position = start + 1
            if Self.begins(bytes, position, "/head") || Self.begins(bytes, position, "body") { break }
            if Self.begins(bytes, position, "!--") {
                position = Self.end(of: "-->", in: bytes, from: position)
            } else if Self.begins(bytes, position, "script") {
                position = Self.end(of: "</script", in: bytes, from: position)
            } else if Self.begins(bytes, position, "style") {
                position = Self.end(of: "</style", in: bytes, from: position)
            } else if Self.begins(bytes, position, "title"), title == nil {
                guard let begin = bytes[position...].firstIndex(of: UInt8(ascii: ">")) else { break }
                let end = bytes[begin...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
                title = Self.text(bytes[(begin + 1)..<max(begin + 1, end)])
                position = end
            } else if Self.begins(bytes, position, "meta") {
                let attributes = Self.attributes(bytes, &position)
                if let key = (attributes["property"] ?? attributes["name"])?.lowercased(), Self.wanted.contains(key),
                    properties[key] == nil, let content = attributes["content"]
                {
                    properties[key] = content
                }
            }
        }
    }

    func description(of link: String) -> LinkDescription? {
        LinkDescription(
            of: link, title: properties["og:title"] ?? properties["twitter:title"] ?? title,
            summary: properties["og:description"] ?? properties["description"], site: properties["og:site_name"])
    }

    private static func begins(_ bytes: [UInt8], _ position: Int, _ word: String) -> Bool {
        let word = Array(word.utf8)
        guard position + word.count <= bytes.count else { return false }
        return zip(bytes[position...], word).allSatisfy { ($0 | 0x20) == ($1 | 0x20) }
    }

    private static func end(of word: String, in bytes: [UInt8], from start: Int) -> Int {
        var position = start
        while position < bytes.count, !begins(bytes, position, word) { position += 1 }
        return position
    }

    /// The attributes of a tag, and moves behind it.
    private static func attributes(_ bytes: [UInt8], _ position: inout Int) -> [String: String] {
        var found: [String: String] = [:]
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
        func skip(_ condition: (UInt8) -> Bool) {
            while position < bytes.count, condition(bytes[position]) { position += 1 }
        }
        let (close, equals, slash) = (UInt8(ascii: ">"), UInt8(ascii: "="), UInt8(ascii: "/"))
        skip { !isSpace($0) && $0 != close }
        while position < bytes.count, bytes[position] != close, found.count < 16 {
            skip { isSpace($0) || $0 == slash }
            let start = position
            skip { !isSpace($0) && $0 != equals && $0 != close && $0 != slash }
            let name = String(decoding: bytes[start..<position], as: UTF8.self).lowercased()
            skip(isSpace)
            guard position < bytes.count, bytes[position] == equals else {
                if position == start, position < bytes.count, bytes[position] != close { position += 1 }
                continue
            }
            position += 1
            skip(isSpace)
            guard position < bytes.count else { break }
            let quote = bytes[position]
            let value: Int
            if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                position += 1
                value = position
                skip { $0 != quote }
            } else {
                value = position
                skip { !isSpace($0) && $0 != close }
            }
            found[name] = text(bytes[value..<position])
            if position < bytes.count, bytes[position] == quote { position += 1 }
        }
        return found
    }

    private static let entities = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ", "ndash": "–", "mdash": "—",
        "hellip": "…",
        "laquo": "«", "raquo": "»", "rsquo": "’", "lsquo": "‘", "rdquo": "”", "ldquo": "“", "middot": "·", "copy": "©",
    ]

    /// Text with its character references resolved.
    private static func text(_ bytes: some Collection<UInt8>) -> String {
        let raw = String(decoding: bytes, as: UTF8.self)
        guard raw.contains("&") else { return raw }
        var text = ""
        var rest = raw[...]
        while let mark = rest.firstIndex(of: "&") {
            text += rest[..<mark]
            rest = rest[rest.index(after: mark)...]
            guard let end = rest.prefix(10).firstIndex(of: ";"), let resolved = resolve(rest[..<end]) else {
                text += "&"
                continue
            }
            text += resolved
            rest = rest[rest.index(after: end)...]
        }
        return text + rest
    }

    private static func resolve(_ name: Substring) -> String? {
        guard name.first == "#" else { return entities[String(name)] }
        let digits = name.dropFirst()
        let value = digits.first == "x" || digits.first == "X" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return value.flatMap(Unicode.Scalar.init).map { String(Character($0)) }
    }
}
