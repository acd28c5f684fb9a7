/// Reads one reference a byte at a time, from behind its `&`: a character by its number, or one of the five entities
/// that every document has (XML 1.0 §4.1, §4.6).
struct ReferenceReader: Sendable {
    private enum Phase { case start, name, number, decimal, hexadecimal }

    private var phase = Phase.start
    private var digits = 0
    private var scalar: UInt32 = 0
    /// The name as a number, and its length up to one more than the longest has.
    private var word: UInt64 = 0
    private var length = 0

    /// Takes the next byte; gives the character when it is the closing `;`.
    mutating func take(_ byte: UInt8, at offset: Int) throws(XMLError) -> UInt32? {
        switch phase {
        case .start where byte == UInt8(ascii: "#"): phase = .number
        case .start, .name:
            if byte == UInt8(ascii: ";"), length > 0 {
                guard length <= 5, let scalar = XMLReferences.predefined(word) else {
                    throw XMLError(.restrictedXML, at: offset)
                }
                return scalar
            }
            // The bytes of a name that no DTD can have declared need no closer look.
            let isName =
                byte >= 0x80 || XMLCharacters.isASCIINameStart(byte) || byte == UInt8(ascii: ":")
                || phase == .name && XMLCharacters.isASCIINameCharacter(byte)
            guard isName else { throw XMLError(.notWellFormed, at: offset) }
            phase = .name
            word = word &<< 8 | UInt64(byte)
            length = min(length + 1, 6)
        case .number where byte == UInt8(ascii: "x"): phase = .hexadecimal
        case .number, .decimal, .hexadecimal:
            if byte == UInt8(ascii: ";"), digits > 0 {
                guard XMLCharacters.isCharacter(scalar) else { throw XMLError(.invalidCharacter, at: offset) }
                return scalar
            }
            if phase == .number { phase = .decimal }
            let radix: UInt32 = phase == .hexadecimal ? 16 : 10
            guard let digit = XMLReferences.value(ofDigit: byte, radix) else {
                throw XMLError(.notWellFormed, at: offset)
            }
            digits = 1
            scalar = XMLReferences.appending(digit, radix, to: scalar)
        }
        return nil
    }
}
