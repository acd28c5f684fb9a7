/// The colour of a name or an address, the same in every program (XEP-0392 Consistent Color Generation).
///
///     let color = ConsistentColor(of: "Romeo") { digest($0) }
///     color.angle                           // 327.25…
///     color.rgb(lightness: 50)              // 0.865, 0.000, 0.686
///
/// Colours are a help beside names and never replace them: two names can have the same one.
public struct ConsistentColor: Sendable, Hashable {
    /// A colour on a screen; each component is from 0 to 1, in the sRGB colour space.
    public struct RGB: Sendable, Hashable {
        public var red: Double
        public var green: Double
        public var blue: Double

        /// `#rrggbb`
        public var hexadecimal: String {
            "#"
                + [red, green, blue].map { value in
                    let byte = UInt8(min(max(value, 0), 1) * 255 + 0.5)
                    return (byte < 16 ? "0" : "") + String(byte, radix: 16)
                }.joined()
        }
    }

    /// The hue in degrees, from 0 to 360.
    public let angle: Double

    public init(angle: Double) { self.angle = angle }

    /// The colour of a text (§5.1). An address is its bare form, prepared for comparison.
    ///
    /// - Parameter sha1: computes the SHA-1 of octets.
    public init(of text: String, sha1: ([UInt8]) -> [UInt8]) {
        let digest = sha1(Array(text.utf8))
        let value = digest.count >= 2 ? Int(digest[0]) | Int(digest[1]) << 8 : 0
        angle = Double(value) / 65_536 * 360
    }

    /// The colour with a saturation and a lightness of HSLuv, each from 0 to 100 (§5.4). Colours of one lightness have the
    /// same contrast to a background, whatever their hue.
    public func rgb(saturation: Double = 100, lightness: Double) -> RGB {
        HSLuv(hue: angle, saturation: saturation, lightness: lightness).rgb
    }
}

/// A colour of the HSLuv space, which is CIELUV with the chroma as a share of what sRGB can show.
private struct HSLuv {
    let hue: Double
    let saturation: Double
    let lightness: Double

    /// From XYZ to linear sRGB.
    private static let matrix: [(Double, Double, Double)] = [
        (3.240969941904521, -1.537383177570093, -0.498610760293),
        (-0.96924363628087, 1.87596750150772, 0.041555057407175),
        (0.055630079696993, -0.20397695888897, 1.056971514242878),
    ]
    private static let (whiteU, whiteV) = (0.19783000664283, 0.46831999493879)
    private static let (kappa, epsilon) = (903.2962962, 0.0088564516)

    var rgb: ConsistentColor.RGB {
        if lightness > 99.9999999 { return .init(red: 1, green: 1, blue: 1) }
        if lightness < 0.00000001 { return .init(red: 0, green: 0, blue: 0) }
        let (sine, cosine) = Self.sineAndCosine(ofDegrees: hue)
        let chroma = maximumChroma(sine, cosine) / 100 * saturation
        let u = cosine * chroma / (13 * lightness) + Self.whiteU
        let v = sine * chroma / (13 * lightness) + Self.whiteV
        let third = (lightness + 16) / 116
        let y = lightness > 8 ? third * third * third : lightness / Self.kappa
        let x = 9 * y * u / (4 * v)
        let z = (9 * y - 15 * v * y - v * x) / (3 * v)
        let components = Self.matrix.map { Self.encoded($0.0 * x + $0.1 * y + $0.2 * z) }
        return .init(red: components[0], green: components[1], blue: components[2])
    }

    /// The largest chroma of this lightness that sRGB can show in the direction of the hue.
    private func maximumChroma(_ sine: Double, _ cosine: Double) -> Double {
        let sum = lightness + 16
        let cube = sum * sum * sum / 1_560_896
        let base = cube > Self.epsilon ? cube : lightness / Self.kappa
        var shortest = Double.infinity
        for (m1, m2, m3) in Self.matrix {
            for side in [0.0, 1.0] {
                let top1 = (284_517 * m1 - 94_839 * m3) * base
                let top2 =
                    (838_422 * m3 + 769_860 * m2 + 731_718 * m1) * lightness * base - 769_860 * side * lightness
                let bottom = (632_260 * m3 - 126_452 * m2) * base + 126_452 * side
                let (slope, intercept) = (top1 / bottom, top2 / bottom)
                let length = intercept / (sine - slope * cosine)
                if length >= 0 { shortest = min(shortest, length) }
            }
        }
        return shortest
    }

    /// The gamma of sRGB.
    private static func encoded(_ linear: Double) -> Double {
        if linear <= 0.0031308 { return max(0, 12.92 * linear) }
        // To the power of 1 / 2.4, which is the cube root of the fifth power of the fourth root.
        let fourth = linear.squareRoot().squareRoot()
        return min(1, 1.055 * cubeRoot(fourth * fourth * fourth * fourth * fourth) - 0.055)
    }

    /// For values from 0 to about 1, by Newton's method.
    private static func cubeRoot(_ value: Double) -> Double {
        guard value > 0 else { return 0 }
        var root = 1.0
        for _ in 0..<64 {
            let next = (2 * root + value / (root * root)) / 3
            if abs(next - root) < 1e-15 { break }
            root = next
        }
        return root
    }

    /// By Taylor's series in the first 45 degrees, and by symmetry beyond.
    private static func sineAndCosine(ofDegrees degrees: Double) -> (sine: Double, cosine: Double) {
        let whole = degrees.truncatingRemainder(dividingBy: 360)
        let positive = whole < 0 ? whole + 360 : whole
        let quarter = Int((positive / 90).rounded())
        let angle = (positive - Double(quarter) * 90) * Double.pi / 180
        let square = angle * angle
        var (sine, cosine, term) = (0.0, 0.0, 1.0)
        for power in 0..<20 {
            let sign = power / 2 % 2 == 0 ? 1.0 : -1.0
            if power % 2 == 0 { cosine += sign * term } else { sine += sign * term }
            term *= angle / Double(power + 1)
            if square == 0, power > 1 { break }
        }
        return switch quarter % 4 {
        case 0: (sine, cosine)
        case 1: (cosine, -sine)
        case 2: (-sine, -cosine)
        default: (-cosine, sine)
        }
    }
}
