import Foundation
import Testing

@testable import Media

@Suite struct PictureTests {
    static func convert(_ arguments: [String]) async throws -> [UInt8] {
        try await run(["convert"] + arguments)
    }

    @Test("size and type come from the bytes", arguments: ["png", "jpg", "gif", "webp", "bmp"])
    func inspects(_ format: String) async throws {
        let bytes = try await Self.convert(["-size", "40x30", "plasma:red-blue", format + ":-"])
        let file = try PictureFile.inspect(bytes)
        #expect(file.type.fileExtension == format)
        #expect(file.width == 40)
        #expect(file.height == 30)
    }

    @Test("S0-99: a large picture is scaled and compressed, off the caller's thread")
    func standardScales() async throws {
        let bytes = try await Self.convert(["-size", "3000x1000", "plasma:red-blue", "png24:-"])
        let picture = try await Picture.prepare(bytes, quality: .standard)
        #expect(picture.type == .jpeg)
        #expect(picture.width == 2048)
        #expect(picture.height == 683)
        #expect(picture.bytes.count < bytes.count / 4)
    }
}
