import Foundation

/// A picture that compresses like a photograph: geese over hills in the evening.
struct Scenery {
    let width: Int
    let height: Int

    private typealias Colour = (red: Double, green: Double, blue: Double)
    private static let (zenith, horizon): (Colour, Colour) = ((58, 82, 140), (252, 178, 108))
    private static let ridges: [(height: Double, waves: Double, colour: Colour)] = [
        (0.36, 7, (138, 108, 134)), (0.25, 11, (84, 76, 108)), (0.14, 5, (38, 44, 62)),
    ]

    /// As a Windows bitmap, which needs no library: rows from the bottom up, blue first.
    var bitmap: [UInt8] {
        func little(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let row = (width * 3 + 3) / 4 * 4
        var bytes = Array("BM".utf8) + little(54 + row * height, 4) + little(0, 4) + little(54, 4)
        bytes += little(40, 4) + little(width, 4) + little(height, 4) + little(1, 2) + little(24, 2)
        bytes += little(0, 4) + little(row * height, 4) + little(2835, 4) + little(2835, 4) + little(0, 8)
        bytes += [UInt8](repeating: 0, count: row * height)
        let pixels = 54
        var noise: UInt32 = 1
        let tops = (0..<width).map { column in Self.ridges.map { top(of: $0, at: Double(column) / Double(width)) } }
        for line in 0..<height {
            let sky = sky(at: Double(line) / Double(height))
            for column in 0..<width {
                var colour = sky
                for (index, ridge) in Self.ridges.enumerated() where line < tops[column][index] {
                    colour = ridge.colour
                }
                noise = noise &* 1_664_525 &+ 1_013_904_223
                let grain = Double(noise >> 29) - 3.5
                put(colour, grain, at: pixels + line * row + column * 3, into: &bytes)
            }
        }
        draw(into: &bytes, from: pixels, row)
        return bytes
    }

    private func put(_ colour: Colour, _ grain: Double = 0, at place: Int, into bytes: inout [UInt8]) {
        bytes[place] = UInt8(max(0, min(255, colour.blue + grain)))
        bytes[place + 1] = UInt8(max(0, min(255, colour.green + grain)))
        bytes[place + 2] = UInt8(max(0, min(255, colour.red + grain)))
    }

    private func sky(at y: Double) -> Colour {
        let part = max(0, min(1, (y - 0.3) / 0.6))
        func mix(_ from: Double, _ to: Double) -> Double { from + (to - from) * part }
        return (
            mix(Self.horizon.red, Self.zenith.red), mix(Self.horizon.green, Self.zenith.green),
            mix(Self.horizon.blue, Self.zenith.blue)
        )
    }

    private func top(of ridge: (height: Double, waves: Double, colour: Colour), at x: Double) -> Int {
        let wave = sin(x * ridge.waves + ridge.height * 20) + 0.4 * sin(x * ridge.waves * 2.7)
        return Int((ridge.height + 0.045 * wave) * Double(height))
    }

    /// The sun, and the geese in two lines.
    private func draw(into bytes: inout [UInt8], from pixels: Int, _ row: Int) {
        let unit = Double(min(width, height))
        func each(_ x: Double, _ y: Double, _ size: Double, _ colour: Colour, where isIn: (Double, Double) -> Bool) {
            let (middle, base) = (x * Double(width), y * Double(height))
            let reach = Int(size * unit) + 1
            for line in max(0, Int(base) - reach)..<max(0, min(height, Int(base) + reach)) {
                for column in max(0, Int(middle) - reach)..<max(0, min(width, Int(middle) + reach))
                where isIn((Double(column) - middle) / unit, (Double(line) - base) / unit) {
                    put(colour, at: pixels + line * row + column * 3, into: &bytes)
                }
            }
        }
        each(0.72, 0.5, 0.07, (255, 236, 190)) { $0 * $0 + $1 * $1 < 0.0049 }
        for number in -3...3 {
            let behind = Double(abs(number))
            let (x, y) = (0.36 + 0.05 * behind * (number < 0 ? 1.15 : 0.9), 0.74 + 0.035 * Double(number))
            each(x, y, 0.03, (40, 36, 52)) { abs($1 - abs($0) * 0.55) < 0.005 && abs($0) < 0.026 }
        }
    }
}
