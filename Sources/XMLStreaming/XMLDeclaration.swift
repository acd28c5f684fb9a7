/// The check of an XML declaration, `<?xml version='1.0' encoding='UTF-8'?>` (XML 1.0 §2.8, RFC 6120 §11.5 and §11.6).
struct XMLDeclaration {
    private let bytes: [UInt8]
    private let offset: Int
    private var index = 0

    /// Checks the text between `<?xml` and `?>`; `offset` is its position, for errors.
    static func check(_ bytes: [UInt8], at offset: Int) throws(XMLError) {
        var declaration = XMLDeclaration(bytes: bytes, offset: offset)
        try declaration.check()
    }

    private init(bytes: [UInt8], offset: Int) {
        self.bytes = bytes
        self.offset = offset
    }

    private mutating func check() throws(XMLError) {
        guard let version = try pseudoAttribute("version"), isVersion(version) else { throw failure }
        if let encoding = try pseudoAttribute("encoding") {
            let isUTF8 = String(decoding: encoding, as: UTF8.self).uppercased() == "UTF-8"
            guard isUTF8 else { throw XMLError(.unsupportedEncoding, at: offset) }
        }
        if let standalone = try pseudoAttribute("standalone") {
            guard standalone.elementsEqual("yes".utf8) || standalone.elementsEqual("no".utf8) else { throw failure }
        }
        skipWhitespace()
        guard index == bytes.count else { throw failure }
    }

    private var failure: XMLError { XMLError(.notWellFormed, at: offset) }

    private func isVersion(_ version: ArraySlice<UInt8>) -> Bool {
        version.starts(with: "1.".utf8) && version.count > 2
            && version.dropFirst(2).allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private mutating func skipWhitespace() {
        while index < bytes.count, XMLCharacters.isWhitespace(bytes[index]) { index += 1 }
    }

    private mutating func pseudoAttribute(_ name: String) throws(XMLError) -> ArraySlice<UInt8>? {
        let start = index
        skipWhitespace()
        guard index > start, bytes[index...].starts(with: name.utf8) else {
            index = start
            return nil
        }
        index += name.utf8.count
        skipWhitespace()
        guard index < bytes.count, bytes[index] == UInt8(ascii: "=") else { throw failure }
        index += 1
        skipWhitespace()
        guard index < bytes.count else { throw failure }
        let quote = bytes[index]
        guard quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") else { throw failure }
        index += 1
        guard let end = bytes[index...].firstIndex(of: quote) else { throw failure }
        defer { index = end + 1 }
        return bytes[index..<end]
    }
}
