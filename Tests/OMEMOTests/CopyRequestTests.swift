import Testing

@testable import OMEMO

@Suite("Requests for copies")
struct CopyRequestTests {
    private static let entries: [CopyRequest.Entry] = [
        .init("4c1f9b7e-1a57-4e1d-9c2b-1f9d3f3f1a01", in: .requester),
        .init("two", in: .account("juliet@capulet.example")),
        .init("三", in: .room("orchard@rooms.example")),
    ]

    @Test("a request is read as it was written, behind the zero bytes of an empty message")
    func codec() throws {
        let request = try #require(CopyRequest(Self.entries))
        #expect(request.plaintext.prefix(32) == [UInt8](repeating: 0, count: 32)[...])
        #expect(CopyRequest(plaintext: request.plaintext) == request)
        #expect(request.entries == Self.entries)
    }

    @Test("an empty message of other programs requests nothing")
    func empty() throws {
        #expect(CopyRequest(plaintext: EncryptedPayload.emptyKey) == nil)
        #expect(CopyRequest(plaintext: []) == nil)
        #expect(CopyRequest([CopyRequest.Entry]()) == nil)
        // A key with its authentication code, in place of zero bytes.
        let request = try #require(CopyRequest(Self.entries))
        #expect(CopyRequest(plaintext: [1] + request.plaintext.dropFirst()) == nil)
    }

    @Test("more than fits is left for the next request, and no request is larger than the key of a message can be")
    func limits() throws {
        let many = (0..<100).map { CopyRequest.Entry("message-\($0)", in: .requester) }
        let request = try #require(CopyRequest(many))
        #expect(request.entries == Array(many.prefix(CopyRequest.limit)))
        let long = (0..<100).map { number in
            CopyRequest.Entry(
                String(repeating: "a", count: 120) + "\(number)", in: .room(String(repeating: "r", count: 900)))
        }
        let short = try #require(CopyRequest(long))
        #expect(short.entries.count == 2 && short.plaintext.count <= CopyRequest.byteCount)
        #expect(CopyRequest(plaintext: short.plaintext) == short)
        let tooLong = CopyRequest.Entry(String(repeating: "a", count: CopyRequest.idByteCount + 1), in: .requester)
        #expect(CopyRequest([tooLong]) == nil)
        // A sender that ignores the limit.
        var writer = FieldWriter()
        for _ in 0..<40 {
            var entry = FieldWriter()
            entry.write(1, Array("x".utf8))
            writer.write(1, entry.bytes)
        }
        let read = try #require(CopyRequest(plaintext: EncryptedPayload.emptyKey + writer.bytes))
        #expect(read.entries.count == CopyRequest.limit)
    }

    @Test("what is damaged requests nothing, or less")
    func damaged() throws {
        let plaintext = try #require(CopyRequest(Self.entries)).plaintext
        for count in 0..<plaintext.count { _ = CopyRequest(plaintext: Array(plaintext.prefix(count))) }
        for index in 32..<plaintext.count {
            for byte: UInt8 in [0, 0x7f, 0x80, 0xff] {
                var changed = plaintext
                changed[index] = byte
                guard let read = CopyRequest(plaintext: changed) else { continue }
                #expect(read.entries.count <= CopyRequest.limit)
                #expect(CopyRequest(plaintext: read.plaintext) == read)
            }
        }
    }
}
