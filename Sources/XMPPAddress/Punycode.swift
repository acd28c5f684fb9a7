/// Punycode, the encoding of a Unicode label in letters, digits and hyphens (RFC 3492).
enum Punycode {
    // The parameters of RFC 3492 §5.
    private static let base = 36
    private static let minimumThreshold = 1
    private static let maximumThreshold = 26
    private static let skew = 38
    private static let damp = 700
    private static let initialBias = 72
    private static let initialCodePoint: UInt32 = 0x80

    /// The encoding, without the prefix `xn--` (§6.3).
    static func encode(_ label: [Unicode.Scalar]) -> [Unicode.Scalar] {
        var output = label.filter(\.isASCII)
        let basicCount = output.count
        if basicCount > 0 { output.append("-") }
        var handled = basicCount
        var codePoint = initialCodePoint
        var delta = 0
        var bias = initialBias
        while handled < label.count {
            guard let next = label.lazy.map(\.value).filter({ $0 >= codePoint }).min() else { break }
            // A label has a few thousand code points at most, so neither product nor sum approaches 2⁶³.
            delta += Int(next - codePoint) * (handled + 1)
            codePoint = next
            for scalar in label {
                if scalar.value < codePoint { delta += 1 }
                guard scalar.value == codePoint else { continue }
                var rest = delta
                var position = base
                while true {
                    let threshold = threshold(at: position, bias: bias)
                    if rest < threshold { break }
                    output.append(character(for: threshold + (rest - threshold) % (base - threshold)))
                    rest = (rest - threshold) / (base - threshold)
                    position += base
                }
                output.append(character(for: rest))
                bias = adapt(delta, count: handled + 1, first: handled == basicCount)
                delta = 0
                handled += 1
            }
            delta += 1
            codePoint += 1
        }
        return output
    }

    /// The label of an encoding without its prefix; `nil` if the encoding is invalid (§6.2).
    static func decode(_ encoded: ArraySlice<Unicode.Scalar>) -> [Unicode.Scalar]? {
        var output: [Unicode.Scalar] = []
        var rest = encoded
        if let hyphen = encoded.lastIndex(of: "-") {
            output = Array(encoded[..<hyphen])
            rest = encoded[(hyphen + 1)...]
        }
        var codePoint = Int(initialCodePoint)
        var index = 0
        var bias = initialBias
        while !rest.isEmpty {
            let before = index
            var weight = 1
            var position = base
            while true {
                guard let character = rest.popFirst(), let digit = digit(for: character) else { return nil }
                let (product, overflow) = digit.multipliedReportingOverflow(by: weight)
                // No label has a code point beyond Unicode's range times the length of the label.
                guard !overflow, product <= Int(Int32.max) - index else { return nil }
                index += product
                let threshold = threshold(at: position, bias: bias)
                if digit < threshold { break }
                weight *= base - threshold
                guard weight <= Int(Int32.max) else { return nil }
                position += base
            }
            let count = output.count + 1
            bias = adapt(index - before, count: count, first: before == 0)
            codePoint += index / count
            index %= count
            guard codePoint <= 0x10_FFFF, let scalar = Unicode.Scalar(UInt32(codePoint)) else { return nil }
            output.insert(scalar, at: index)
            index += 1
        }
        return output
    }

    private static func threshold(at position: Int, bias: Int) -> Int {
        min(max(position - bias, minimumThreshold), maximumThreshold)
    }

    private static func adapt(_ delta: Int, count: Int, first: Bool) -> Int {
        var delta = first ? delta / damp : delta / 2
        delta += delta / count
        var position = 0
        while delta > (base - minimumThreshold) * maximumThreshold / 2 {
            delta /= base - minimumThreshold
            position += base
        }
        return position + (base - minimumThreshold + 1) * delta / (delta + skew)
    }

    private static func character(for digit: Int) -> Unicode.Scalar {
        Unicode.Scalar(UInt8(truncatingIfNeeded: digit < 26 ? digit + 0x61 : digit - 26 + 0x30))
    }

    private static func digit(for character: Unicode.Scalar) -> Int? {
        switch character {
        case "a"..."z": Int(character.value) - 0x61
        case "A"..."Z": Int(character.value) - 0x41
        case "0"..."9": Int(character.value) - 0x30 + 26
        default: nil
        }
    }
}
