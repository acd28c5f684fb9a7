/// The boxes of an MP4, 3GPP, QuickTime, HEIF or AVIF file (ISO/IEC 14496-12 §4.2), parsed only as far as needed to
/// distinguish these types.
enum ISOBaseMedia {
    /// The maximum number of boxes that are read in one file; the index of a voice message has a few dozen.
    private static let maximumBoxes = 512

    static func type(of bytes: [UInt8]) -> MediaType? {
        guard bytes.has("ftyp", at: 4) else { return nil }
        let brands = (try? brands(bytes)) ?? []
        if brands.contains("avif") || brands.contains("avis") { return .avif }
        if ["heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1"].contains(where: brands.contains) {
            return .heic
        }
        let major = brands.first ?? ""
        let handlers = handlers(bytes)
        let onlySound = handlers.contains("soun") && !handlers.contains("vide")
        if major.hasPrefix("3g") { return onlySound ? .threeGPPAudio : .threeGPP }
        if major == "qt  " { return onlySound ? .mp4Audio : .quickTime }
        if major.hasPrefix("M4A") || major.hasPrefix("M4B") { return .mp4Audio }
        return onlySound ? .mp4Audio : .mp4
    }

    /// The major brand, then the compatible ones.
    private static func brands(_ bytes: [UInt8]) throws(MediaError) -> [String] {
        var cursor = ByteCursor(bytes)
        let length = try cursor.bigEndian(4)
        try cursor.skip(4)
        var brands = [try cursor.code(4)]
        try cursor.skip(4)
        while cursor.offset + 4 <= min(length, bytes.count), brands.count < 32 { brands.append(try cursor.code(4)) }
        return brands
    }

    /// The handlers of all tracks: `soun`, `vide` and others.
    private static func handlers(_ bytes: [UInt8]) -> Set<String> {
        var found: Set<String> = []
        var budget = maximumBoxes
        walk(bytes, 0..<bytes.count, depth: 0, budget: &budget, found: &found)
        return found
    }

    private static func walk(
        _ bytes: [UInt8], _ range: Range<Int>, depth: Int, budget: inout Int, found: inout Set<String>
    ) {
        var cursor = ByteCursor(bytes, in: range)
        while cursor.remaining >= 8, budget > 0 {
            budget -= 1
            let start = cursor.offset
            guard var length = try? cursor.bigEndian(4), let name = try? cursor.code(4) else { return }
            if length == 1 {
                // A 64-bit length. Beyond 2^56 it is invalid, and seven bytes contain the rest.
                guard (try? cursor.byte()) == 0, let long = try? cursor.bigEndian(7) else { return }
                length = long
            } else if length == 0 {
                length = range.upperBound - start
            }
            let header = cursor.offset - start
            guard length >= header, let content = try? cursor.take(length - header) else { return }
            if ["moov", "trak", "mdia"].contains(name), depth < 3 {
                walk(bytes, content, depth: depth + 1, budget: &budget, found: &found)
            } else if name == "hdlr" {
                var handler = ByteCursor(bytes, in: content)
                if (try? handler.skip(8)) != nil, let kind = try? handler.code(4) { found.insert(kind) }
            }
        }
    }
}
