import Foundation
import Testing

@testable import Media

@Suite struct MediaTypeTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        let bytes: [UInt8]
        let type: MediaType
        init(_ text: String, _ type: MediaType) {
            self.init(Array(text.utf8), type)
        }
        init(_ bytes: [UInt8], _ type: MediaType) {
            self.bytes = bytes
            self.type = type
        }
        var testDescription: String { type.name + " " + String(decoding: bytes.prefix(12), as: UTF8.self) }
    }

    static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        SamplePicture.big(content.count + 8, 4) + Array(name.utf8) + content
    }

    static func movie(_ brand: String, _ handlers: [String]) -> [UInt8] {
        let tracks = handlers.flatMap { handler in
            box(
                "trak",
                box(
                    "mdia",
                    box("hdlr", [0, 0, 0, 0, 0, 0, 0, 0] + Array(handler.utf8) + Array(repeating: 0, count: 12))))
        }
        return box("ftyp", Array(brand.utf8) + [0, 0, 0, 0] + Array(brand.utf8)) + box("mdat", [1, 2, 3])
            + box("moov", tracks)
    }

    static func ogg(_ packet: [UInt8]) -> [UInt8] {
        Array("OggS".utf8) + Array(repeating: 0, count: 22) + [1, UInt8(packet.count)] + packet
    }

    static let samples = [
        Sample([0xFF, 0xD8, 0xFF, 0xE0], .jpeg), Sample("GIF89a", .gif), Sample("GIF87a", .gif),
        Sample("RIFF\0\0\0\0WEBPVP8 ", .webp), Sample("RIFF\0\0\0\0WAVEfmt ", .wav), Sample("#!AMR\n<", .amr),
        Sample("#!AMR-WB\n<", .amrWideband), Sample("fLaC", .flac), Sample("ID3\u{04}\0", .mp3),
        Sample([0xFF, 0xFB, 0x90, 0x00], .mp3), Sample([0xFF, 0xF1, 0x50, 0x80], .aac), Sample("%PDF-1.7", .pdf),
        Sample("PK\u{03}\u{04}", .zip), Sample([0x1F, 0x8B, 0x08], .gzip), Sample("Grüße", .plainText),
        Sample("#!/bin/sh\nrm -r /\n", .plainText), Sample("<html><script>", .plainText),
        Sample("[Desktop Entry]\nExec=sh\n", .plainText), Sample([0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0], .octetStream),
        Sample("MZ\u{90}\0\u{03}\0", .octetStream), Sample([UInt8](), .octetStream),
        Sample("BM is a car maker", .plainText),
        Sample(ogg(Array("OpusHead\u{01}\u{01}".utf8)), .oggOpus), Sample(ogg(Array("\u{01}vorbis".utf8)), .ogg),
        Sample(ogg([0x80] + Array("theora".utf8)), .oggVideo), Sample(movie("M4A ", ["soun"]), .mp4Audio),
        Sample(movie("isom", ["soun"]), .mp4Audio), Sample(movie("isom", ["vide", "soun"]), .mp4),
        Sample(movie("3gp4", ["soun"]), .threeGPPAudio), Sample(movie("3gp4", ["vide"]), .threeGPP),
        Sample(movie("qt  ", ["vide"]), .quickTime), Sample(movie("avif", ["pict"]), .avif),
        Sample(movie("heic", ["pict"]), .heic),
    ]

    @Test("the type is detected from the bytes", arguments: samples)
    func sniffs(_ sample: Sample) {
        #expect(MediaType(sniffing: sample.bytes) == sample.type)
    }

    @Test("no detected type has an extension that a desktop would execute")
    func safeExtensions() {
        let dangerous: Set = ["sh", "desktop", "exe", "html", "svg", "js", "py", "bat", "com", "htm", "xml", "jar"]
        for type in MediaType.known { #expect(!dangerous.contains(type.fileExtension)) }
    }

    @Test("a type is parsed with parameters, in any case, and in common misspellings")
    func names() {
        #expect(MediaType(name: "image/PNG") == .png)
        #expect(MediaType(name: "audio/ogg; codecs=opus") == .ogg)
        #expect(MediaType(name: "audio/x-m4a") == .mp4Audio)
        #expect(MediaType(name: "image/jpg")?.fileExtension == "jpg")
        #expect(MediaType(name: "application/x-desktop") == nil)
        #expect(MediaType(name: "") == nil)
    }

    @Test("the kind is the top-level type")
    func kinds() {
        #expect(MediaType.png.kind == .picture)
        #expect(MediaType.oggOpus.kind == .audio)
        #expect(MediaType.mp4.kind == .video)
        #expect(MediaType.plainText.kind == .text)
        #expect(MediaType.pdf.kind == .other)
    }

    @Test("arbitrary bytes are inspected without a crash")
    func noise() {
        var generator = SeededGenerator(state: 7)
        for sample in Self.samples where !sample.bytes.isEmpty {
            for _ in 0..<200 {
                var bytes = sample.bytes
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
                bytes.removeLast(Int.random(in: 0...bytes.count, using: &generator))
                _ = MediaType(sniffing: bytes)
            }
        }
    }
}
