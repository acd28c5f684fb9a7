/// What every mechanism asks of the text it sends.
enum SASLText {
    /// The UTF-8 of a credential. Throws where it is empty or holds U+0000, which no mechanism can carry.
    static func bytes(of text: String, naming what: String) throws(SASLError) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty, !bytes.contains(0) else { throw SASLError(.invalidCredential(what: what)) }
        return bytes
    }

    /// Whether both hold the same bytes, in a time that does not tell where they differ.
    static func areEqualInConstantTime(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        var difference: UInt8 = 0
        for index in one.indices { difference |= one[index] ^ other[index] }
        return difference == 0
    }
}
