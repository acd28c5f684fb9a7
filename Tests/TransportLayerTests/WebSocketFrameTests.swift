import Testing

@testable import TransportLayer

/// Frames of RFC 6455, byte by byte.
struct WebSocketFrameTests {
    /// All events, and the error at the end if there is one.
    private func read(
        _ bytes: [UInt8], _ role: WebSocketRole = .client, limits: WebSocketLimits = WebSocketLimits(),
        piece: Int = .max
    ) -> (events: [WebSocketEvent], error: WebSocketError?) {
        var reader = WebSocketFrameReader(role: role, limits: limits)
        var events: [WebSocketEvent] = []
        var rest = bytes[...]
        do throws(WebSocketError) {
            while !rest.isEmpty {
                reader.append(Array(rest.prefix(piece)))
                rest = rest.dropFirst(piece)
                while let event = try reader.next() { events.append(event) }
            }
            return (events, nil)
        } catch { return (events, error) }
    }

    /// The same in one piece and in several.
    private func verify(
        _ bytes: [UInt8], as role: WebSocketRole = .client, limits: WebSocketLimits = WebSocketLimits(),
        _ events: [WebSocketEvent], _ code: WebSocketError.Code? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) {
        for piece in [Int.max, 1, 2, 3, 7] {
            let result = read(bytes, role, limits: limits, piece: piece)
            #expect(result.events == events, "in pieces of \(piece)", sourceLocation: location)
            #expect(result.error?.code == code, "in pieces of \(piece)", sourceLocation: location)
        }
    }

    private static let hello = Array("Hello".utf8)

    @Test("The examples of RFC 6455 §5.7")
    func examples() {
        verify([0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F], [.text(Self.hello)])
        let masked: [UInt8] = [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
        verify(masked, as: .server, [.text(Self.hello)])
        #expect(WebSocketFrame.encode(.text, Self.hello, mask: 0x37FA_213D) == masked)
        verify([0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F], [.text(Self.hello)])
        verify([0x89, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F], [.ping(Self.hello)])
        let pong: [UInt8] = [0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
        verify(pong, as: .server, [.pong(Self.hello)])
        #expect(WebSocketFrame.encode(.pong, Self.hello, mask: 0x37FA_213D) == pong)
        let text = [UInt8](repeating: 0x61, count: 65_536)
        let middle = Array(text.prefix(256))
        verify([0x81, 0x7E, 0x01, 0x00] + middle, [.text(middle)])
        verify([0x81, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0] + text, [.text(text)])
    }

    @Test(
        "Written frames are read back, at every boundary of the length",
        arguments: [nil, 0, 0x0102_0304, .max] as [UInt32?])
    func roundTrip(_ mask: UInt32?) {
        var all: [UInt8] = []
        var expected: [WebSocketEvent] = []
        for count in [0, 1, 2, 3, 125, 126, 127, 65_535, 65_536, 70_001] {
            let text = pattern(count).map { $0 & 0x7F }
            all += WebSocketFrame.encode(.text, text, mask: mask)
            expected.append(.text(text))
        }
        verify(all, as: mask == nil ? .client : .server, expected)
    }

    @Test("Fragments are joined, with control frames between them and split characters")
    func fragments() {
        let text = Array("雁字回时".utf8)
        var bytes = WebSocketFrame.encode(.text, text[..<1], isFinal: false, mask: nil)
        bytes += WebSocketFrame.encode(.ping, [1], mask: nil)
        bytes += WebSocketFrame.encode(.continuation, [], isFinal: false, mask: nil)
        bytes += WebSocketFrame.encode(.continuation, text[1..<8], isFinal: false, mask: nil)
        bytes += WebSocketFrame.encode(.pong, [], mask: nil)
        bytes += WebSocketFrame.encode(.continuation, text[8...], mask: nil)
        bytes += WebSocketFrame.encode(.text, [], mask: nil)
        verify(bytes, [.ping([1]), .pong([]), .text(text), .text([])])
    }

    @Test(
        "A violation of the rules is rejected with its code",
        arguments: [
            // Reserved bits.
            ([0xC1, 0x00], .protocolViolation), ([0xA1, 0x00], .protocolViolation), ([0x91, 0x00], .protocolViolation),
            // Reserved opcodes.
            ([0x83, 0x00], .protocolViolation), ([0x87, 0x00], .protocolViolation), ([0x8B, 0x00], .protocolViolation),
            ([0x8F, 0x00], .protocolViolation),
            // A masked frame of the server.
            ([0x81, 0x80, 1, 2, 3, 4], .protocolViolation),
            // Control frames: fragmented, too long.
            ([0x09, 0x00], .protocolViolation), ([0x89, 0x7E, 0, 126], .protocolViolation),
            ([0x88, 0x7F, 0, 0, 0, 0, 0, 0, 0, 1], .protocolViolation),
            // A continuation without a message, a message inside of a message.
            ([0x80, 0x00], .protocolViolation), ([0x01, 0x00, 0x81, 0x00], .protocolViolation),
            ([0x01, 0x00, 0x01, 0x00], .protocolViolation),
            // Binary.
            ([0x82, 0x00], .unsupportedData), ([0x02, 0x01, 0x00], .unsupportedData),
            // Lengths that are not minimal, and a negative one.
            ([0x81, 0x7E, 0, 125], .protocolViolation),
            ([0x81, 0x7F, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], .protocolViolation),
            ([0x81, 0x7F, 0x80, 0, 0, 0, 0, 1, 0, 0], .protocolViolation),
            // Invalid UTF-8: a lone continuation, a surrogate, an overlong form, truncated at the end.
            ([0x81, 0x01, 0x80], .invalidText), ([0x81, 0x03, 0xED, 0xA0, 0x80], .invalidText),
            ([0x81, 0x02, 0xC0, 0x80], .invalidText), ([0x01, 0x01, 0xE9, 0x80, 0x01, 0x9B], .invalidText),
            // Close frames: half of a code, codes that must not be sent, a reason that is not UTF-8.
            ([0x88, 0x01, 0x03], .protocolViolation), ([0x88, 0x02, 0x03, 0xED], .protocolViolation),
            ([0x88, 0x02, 0x03, 0xEE], .protocolViolation), ([0x88, 0x02, 0x03, 0xE7], .protocolViolation),
            ([0x88, 0x02, 0x13, 0x88], .protocolViolation), ([0x88, 0x03, 0x03, 0xE8, 0xFF], .invalidText),
        ] as [([UInt8], WebSocketError.Code)])
    func violations(_ bytes: [UInt8], _ code: WebSocketError.Code) {
        verify(bytes, [], code)
        // Valid frames before it are reported before the error.
        verify([0x81, 0x01, 0x61] + bytes, [.text([0x61])], code)
    }

    @Test("A client that does not mask is rejected")
    func unmasked() {
        verify([0x81, 0x00], as: .server, [], .protocolViolation)
    }

    @Test("A message above the limit is reported in parts, split between characters, and does not end the connection")
    func parts() {
        var limits = WebSocketLimits()
        limits.messageBytes = 10
        let digits = Array("0123456789".utf8)
        let long = WebSocketFrame.encode(.text, digits + digits + digits[..<3], mask: nil)
        let next = WebSocketFrame.encode(.text, digits, mask: nil)
        verify(long + next, limits: limits, [.text(digits), .text(digits), .text(Array(digits[..<3])), .text(digits)])
        let masked = WebSocketFrame.encode(.text, digits + digits[..<3], mask: 0x1234_5678)
        verify(masked, as: .server, limits: limits, [.text(digits), .text(Array(digits[..<3]))])
        let first = WebSocketFrame.encode(.text, digits[..<6], isFinal: false, mask: nil)
        let ping = WebSocketFrame.encode(.ping, digits + digits, mask: nil)
        verify(
            first + ping + WebSocketFrame.encode(.continuation, digits, mask: nil), limits: limits,
            [.ping(digits + digits), .text(Array("0123450123".utf8)), .text(Array("456789".utf8))])
        for (text, parts) in [
            ("12345678中文", ["12345678", "中文"]), ("1234567中文", ["1234567中", "文"]), ("12345678😀a", ["12345678", "😀a"]),
            ("123456789é", ["123456789", "é"]), ("1234567890é", ["1234567890", "é"]),
        ] {
            verify(
                WebSocketFrame.encode(.text, Array(text.utf8), mask: nil), limits: limits,
                parts.map { .text(Array($0.utf8)) })
        }
        let broken: [UInt8] = digits[..<8] + [0x80, 0x80, 0x80, 0x61]
        verify(WebSocketFrame.encode(.text, broken, mask: nil), limits: limits, [], .invalidText)
    }

    @Test(
        "A message uses no more memory than the limit, including its fragments; an announced length uses none"
    )
    func messageLimit() {
        var limits = WebSocketLimits()
        limits.messageBytes = 10
        let exact = Array("0123456789".utf8)
        verify(WebSocketFrame.encode(.text, exact, mask: nil), limits: limits, [.text(exact)])
        verify([0x81, 0x7F, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], limits: limits, [])
        let first = WebSocketFrame.encode(.text, exact[..<6], isFinal: false, mask: nil)
        verify(first + WebSocketFrame.encode(.continuation, exact[6...], mask: nil), limits: limits, [.text(exact)])
        // Each message starts again, and pings do not count.
        let both =
            WebSocketFrame.encode(.text, exact, mask: nil) + WebSocketFrame.encode(.ping, exact + exact, mask: nil)
        verify(both + both, limits: limits, [.text(exact), .ping(exact + exact), .text(exact), .ping(exact + exact)])
    }

    @Test("After a close frame or an error nothing more is read")
    func afterTheEnd() throws {
        let close: [UInt8] = [0x88, 0x05, 0x03, 0xE9] + Array("bye".utf8)
        verify(close + [0xFF, 0xFF], [.close(WebSocketClosure(1001, "bye"))])
        verify([0x88, 0x00, 0x81, 0x00], [.close(nil)])
        var reader = WebSocketFrameReader(role: .client)
        reader.append([0x82, 0x00])
        for _ in 0..<2 {
            do throws(WebSocketError) {
                _ = try reader.next()
                Issue.record("it must not be read")
            } catch { #expect(error.code == .unsupportedData) }
            reader.append([0x81, 0x00])
        }
        let held = reader.heldByteCount
        #expect(held == 0)
    }

    @Test("The codes of close frames", arguments: [1000, 1003, 1007, 1014, 3000, 4999] as [UInt16])
    func closeCodes(_ code: UInt16) {
        let payload = WebSocketFrame.closePayload(WebSocketClosure(code))
        verify(WebSocketFrame.encode(.close, payload, mask: nil), [.close(WebSocketClosure(code))])
    }

    @Test("A reason that is too long is truncated between characters")
    func longReason() {
        let payload = WebSocketFrame.closePayload(WebSocketClosure(1000, String(repeating: "雁", count: 100)))
        #expect(payload.count == 2 + 41 * 3)
        verify(
            WebSocketFrame.encode(.close, payload, mask: nil),
            [.close(WebSocketClosure(1000, String(repeating: "雁", count: 41)))])
    }
}
