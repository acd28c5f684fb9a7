extension MediaType {
    /// The maximum number of bytes that are examined, apart from the boxes of an MP4 file.
    public static let sniffedByteCount = 4096

    /// Determines the type from the bytes alone; ``octetStream`` if none matches.
    ///
    /// The beginning of a file is enough, but only the whole file distinguishes sound from video in MP4 files whose
    /// index is at the end.
    public init(sniffing bytes: [UInt8]) {
        self =
            Self.picture(bytes) ?? Self.audio(bytes) ?? ISOBaseMedia.type(of: bytes) ?? Self.document(bytes)
            ?? .octetStream
    }

    private static func picture(_ bytes: [UInt8]) -> MediaType? {
        if bytes.has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
        if bytes.has([0xFF, 0xD8, 0xFF]) { return .jpeg }
        if bytes.has("GIF87a") || bytes.has("GIF89a") { return .gif }
        if bytes.has("RIFF"), bytes.has("WEBP", at: 8) { return .webp }
        if bytes.has([0x49, 0x49, 0x2A, 0x00]) || bytes.has([0x4D, 0x4D, 0x00, 0x2A]) { return .tiff }
        // Two letters alone are ambiguous: the reserved fields and the size of the second header decide.
        if bytes.has("BM"), bytes.has([0, 0, 0, 0], at: 6), bytes.count > 17,
            [12, 40, 52, 56, 64, 108, 124].contains(bytes[14]), bytes.has([0, 0, 0], at: 15)
        {
            return .bmp
        }
        return nil
    }

    private static func audio(_ bytes: [UInt8]) -> MediaType? {
        if bytes.has("OggS") { return oggContent(bytes) }
        if bytes.has("RIFF"), bytes.has("WAVE", at: 8) { return .wav }
        if bytes.has("FORM"), bytes.has("AIFF", at: 8) || bytes.has("AIFC", at: 8) { return .aiff }
        if bytes.has("fLaC") { return .flac }
        if bytes.has("#!AMR\n") { return .amr }
        if bytes.has("#!AMR-WB\n") { return .amrWideband }
        if bytes.has([0x1A, 0x45, 0xDF, 0xA3]) { return matroskaContent(bytes) }
        if bytes.has("ID3") { return .mp3 }
        return mpegFrame(bytes)
    }

    /// The first packet of the first page names the codec (RFC 3533 §6, RFC 7845 §5.1).
    private static func oggContent(_ bytes: [UInt8]) -> MediaType {
        guard bytes.count > 27 else { return .ogg }
        let packet = 27 + Int(bytes[26])
        if bytes.has("OpusHead", at: packet) { return .oggOpus }
        if bytes.has("\u{01}vorbis", at: packet) { return .ogg }
        let video =
            bytes.has([0x80, 0x74, 0x68, 0x65, 0x6F, 0x72, 0x61], at: packet) || bytes.has("fishead", at: packet)
        return video ? .oggVideo : .ogg
    }

    private static func matroskaContent(_ bytes: [UInt8]) -> MediaType {
        let head = bytes.prefix(64)
        func contains(_ text: String) -> Bool {
            let code = Array(text.utf8)
            return head.indices.contains { head[$0...].starts(with: code) }
        }
        return contains("webm") ? .webm : .matroska
    }

    /// Two consecutive MPEG audio frames, or one at the end of the bytes (ISO/IEC 11172-3 §2.4.1.3).
    private static func mpegFrame(_ bytes: [UInt8]) -> MediaType? {
        guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] & 0xE0 == 0xE0 else { return nil }
        let layer = (bytes[1] >> 1) & 3
        if layer == 0 {
            // ADTS: twelve bits of synchronisation, then a sampling frequency below the reserved ones.
            return bytes[1] & 0xF0 == 0xF0 && (bytes[2] >> 2) & 15 < 13 ? .aac : nil
        }
        let version = (bytes[1] >> 3) & 3
        let bitrate = Int(bytes[2] >> 4)
        let frequency = Int(bytes[2] >> 2) & 3
        guard layer == 1, version != 1, bitrate != 0, bitrate != 15, frequency != 3 else { return nil }
        let first = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
        let second = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
        let rate = [44100, 48000, 32000][frequency] >> (version == 3 ? 0 : version == 2 ? 1 : 2)
        let kilobits = version == 3 ? first[bitrate] : second[bitrate]
        let length = (version == 3 ? 144 : 72) * kilobits * 1000 / rate + Int(bytes[2] >> 1 & 1)
        guard length + 1 < bytes.count else { return .mp3 }
        return bytes[length] == 0xFF && bytes[length + 1] & 0xFE == bytes[1] & 0xFE ? .mp3 : nil
    }

    private static func document(_ bytes: [UInt8]) -> MediaType? {
        if bytes.has("%PDF-") { return .pdf }
        if bytes.has("PK\u{03}\u{04}") || bytes.has("PK\u{05}\u{06}") { return .zip }
        if bytes.has([0x1F, 0x8B, 0x08]) { return .gzip }
        return isText(bytes.prefix(sniffedByteCount)) ? .plainText : nil
    }

    /// UTF-8 without control characters other than whitespace. Scripts and markup are ordinary text: displayed, not
    /// executed.
    private static func isText(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard !bytes.isEmpty else { return false }
        if bytes.contains(where: { $0 < 0x20 && ![0x09, 0x0A, 0x0C, 0x0D].contains($0) || $0 == 0x7F }) {
            return false
        }
        // The end may fall inside a character of up to four bytes.
        for cut in 0..<min(4, bytes.count) where String(validating: bytes.dropLast(cut), as: UTF8.self) != nil {
            return true
        }
        return false
    }
}

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
